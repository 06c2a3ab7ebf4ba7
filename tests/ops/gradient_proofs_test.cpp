// The proofs that run over the table of all ops.
#include <algorithm>

#include "catch.hpp"
#include "ops/op_table.hpp"

using namespace rootdk;

TEST_CASE("every op: vjp matches finite differences and keeps the contract", "[op][gradcheck]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  for (const OpCase& row : op_table()) {
    const GradcheckReport report = row.gradcheck(seed);
    INFO(row.op << ", " << row.variant << "\n" << report.log);
    CHECK(report.ok);
    CHECK(report.entries > 0);
  }
}

TEST_CASE("every op: float agrees with double to rounding", "[op]") {
  const std::uint64_t seed = GENERATE(1U, 2U, 3U);
  for (const OpCase& row : op_table()) {
    INFO(row.op << ", " << row.variant);
    CHECK(row.float_error(seed) < 2e-6);
  }
}

TEST_CASE("every op of include/rootdk/ops has a row in the table", "[op]") {
  const std::string folder = ROOTDK_SOURCE_DIR "/include/rootdk/ops";
  CHECK(ops_without_a_row(folder, op_table()).empty());
}

TEST_CASE("an op that has no row in the table is found by name", "[op][teeth]") {
  const std::string folder = ROOTDK_SOURCE_DIR "/include/rootdk/ops";
  for (const std::string op : {"matmul", "softmax_rows", "cross_entropy"}) {
    std::vector<OpCase> table = op_table();
    std::erase_if(table, [&](const OpCase& row) { return row.op == op; });
    CHECK(ops_without_a_row(folder, table) == std::vector<std::string>{op});
  }
}
