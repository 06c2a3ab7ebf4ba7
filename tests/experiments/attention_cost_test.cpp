// The binary on tiny lengths: exit codes, columns, counts. Nothing here depends on how fast it is.
#include <map>
#include <sstream>

#include "attention_cost/attention_cost_config.hpp"
#include "catch.hpp"
#include "support/binary.hpp"

using rootdk::harness::TemporaryFolder;
namespace fs = std::filesystem;
namespace theory = rootdk::theory;

namespace {

Ended run(const TemporaryFolder& folder, const std::string& arguments) {
  return run_binary("attention_cost", folder, arguments);
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream text(line);
  for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
  if (line.ends_with(',')) fields.emplace_back();
  return fields;
}

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of(const fs::path& csv, const std::string& header) {
  std::istringstream lines(read(csv));
  std::string line;
  std::getline(lines, line);
  REQUIRE(line == header);
  const std::vector<std::string> columns = fields_of(line);
  std::vector<Row> rows;
  while (std::getline(lines, line)) {
    const std::vector<std::string> fields = fields_of(line);
    REQUIRE(fields.size() == columns.size());
    Row& row = rows.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) row[columns[i]] = fields[i];
  }
  return rows;
}

const std::string cost_columns =
    "n_tokens,d_model,d_k,d_v,path,pass,part,flops_exact,bytes_exact,bytes_measured,"
    "seconds_fastest,seconds_median";
const std::string slope_columns = "path,quantity,slope,ci_low,ci_high,n_min,points";
const std::string crossover_columns = "path,pass,measure,n_crossover";
const std::string lengths = "--n_tokens 16,2,64,32 --d_k 3 --d_v 5 --repeats 2 --quiet ";
const std::string tiny = lengths + "--d_model 4 ";

}  // namespace

TEST_CASE("attention_cost: writes counts and measurements of every length", "[run]") {
  TemporaryFolder folder;
  REQUIRE(run(folder, tiny + "--threads 7 --out out").code == 0);
  const std::vector<Row> costs = rows_of(folder / "out/attention_cost.csv", cost_columns);
  REQUIRE(costs.size() == 4 * 2 * 2 * 3);
  CHECK(costs.front().at("n_tokens") == "2");  // ascending, however they were written
  for (Row row : costs) {
    const theory::Pass pass =
        row["pass"] == "forward" ? theory::Pass::forward : theory::Pass::backward;
    const theory::LayerSizes sizes{std::stoll(row["n_tokens"]), 4, 3, 5};
    const auto part = [&](const theory::PartCounts& split) {
      return row["part"] == "layer"         ? split.layer()
             : row["part"] == "projections" ? split.projections
                                            : split.attention;
    };
    const bool streams = row["path"] == "streaming";
    CHECK((streams || row["path"] == "materialised"));
    CHECK(std::stoll(row["flops_exact"]) ==
          part(streams ? theory::operations(pass, sizes, theory::Tiles{})
                       : theory::operations(pass, sizes)));
    CHECK(std::stoll(row["bytes_exact"]) ==
          4 * part(streams ? theory::numbers_held(pass, sizes, theory::Tiles{})
                           : theory::numbers_held(pass, sizes)));
    CHECK(row["bytes_measured"].empty() == (row["part"] != "layer"));
    CHECK(std::stod(row["seconds_fastest"]) > 0);
    CHECK(std::stod(row["seconds_median"]) >= std::stod(row["seconds_fastest"]));
    if (row["part"] != "layer") continue;
    CHECK(std::stoll(row["bytes_measured"]) >= std::stoll(row["bytes_exact"]));
    CHECK(std::stoll(row["bytes_measured"]) < std::stoll(row["bytes_exact"]) + 4096);
  }
}

TEST_CASE("attention_cost: slopes are fitted where n is at least 4 d_model", "[run]") {
  TemporaryFolder folder;
  REQUIRE(run(folder, tiny + "--out out").code == 0);
  std::size_t of_counts = 0;
  for (Row row : rows_of(folder / "out/slopes.csv", slope_columns)) {
    INFO(row["quantity"]);
    CHECK(row["n_min"] == "16");
    CHECK(row["points"] == "3");
    CHECK(std::stod(row["ci_low"]) <= std::stod(row["slope"]));
    CHECK(std::stod(row["slope"]) <= std::stod(row["ci_high"]));
    if (row["quantity"].ends_with("flops_exact")) {
      ++of_counts;
      CHECK(std::stod(row["slope"]) > 0.99);
      CHECK(std::stod(row["slope"]) < 2.01);
    }
  }
  CHECK(of_counts == 12);
  REQUIRE(run(folder, lengths + "--d_model 16 --out short").code == 0);
  for (Row row : rows_of(folder / "short/slopes.csv", slope_columns)) {
    CHECK(row["points"] == "1");
    CHECK(row["slope"].empty());
    CHECK(row["ci_high"].empty());
  }
}

TEST_CASE("attention_cost: the counted crossover is that of the closed form", "[run]") {
  TemporaryFolder folder;
  REQUIRE(run(folder, tiny + "--dtype float64 --gemm reference --out out").code == 0);
  const auto rows = rows_of(folder / "out/crossover.csv", crossover_columns);
  REQUIRE(rows.size() == 8);
  CHECK(rows[0].at("measure") == "flops_exact");
  CHECK(rows[0].at("n_crossover") ==
        std::to_string(theory::crossover(theory::Pass::forward, {1, 4, 3, 5})));
  CHECK(rows[2].at("n_crossover") ==
        std::to_string(theory::crossover(theory::Pass::backward, {1, 4, 3, 5})));
  CHECK(rows[1].at("measure") == "seconds_median");
  CHECK(rows[6].at("path") == "streaming");
  CHECK(rows[6].at("n_crossover") ==
        std::to_string(theory::crossover(theory::Pass::backward, {1, 4, 3, 5}, theory::Tiles{})));
}

TEST_CASE("attention_cost: a length that fits in tiles alone is refused only with weights",
          "[run]") {
  TemporaryFolder folder;
  CHECK(run(folder, "--n_tokens 16,400000 --attention streaming --dry-run").code == 0);
  CHECK(run(folder, "--n_tokens 16,400000 --attention materialised --dry-run").code == 2);
  REQUIRE(run(folder, tiny + "--attention streaming --out out").code == 0);
  for (Row row : rows_of(folder / "out/attention_cost.csv", cost_columns)) {
    CHECK(row["path"] == "streaming");
  }
}

TEST_CASE("attention_cost: a finished run is left as it is", "[run]") {
  TemporaryFolder folder;
  REQUIRE(run(folder, tiny + "--out out").code == 0);
  const std::string before = read(folder / "out/attention_cost.csv");
  CHECK(run(folder, tiny + "--out out").code == 2);
  CHECK(run(folder, tiny + "--resume --out out").code == 0);
  CHECK(read(folder / "out/attention_cost.csv") == before);
  REQUIRE(run(folder, "--config out/config.toml --quiet --out again").code == 0);
  CHECK(read(folder / "again/config.toml") == read(folder / "out/config.toml"));
  const Ended shown = run(folder, "--config out/config.toml --resume --out out");
  CHECK(shown.code == 0);
  CHECK_THAT(shown.output, ROOTDK_CONTAINS("layer_backward_seconds_median"));
}

TEST_CASE("attention_cost: a wrong request is one sentence, exit 2, and nothing on the disk",
          "[run]") {
  TemporaryFolder folder;
  const auto [arguments, parts] = GENERATE(table<std::string, std::vector<std::string>>({
      {"--n_tokens 1", {"n_tokens", "1"}},
      {"--n_tokens 64,64", {"n_tokens", "64"}},
      {"--n_tokens 4000000", {"n_tokens", "524288"}},
      {"--n_tokens 16,400000", {"n_tokens = 400000", "GiB", "smaller"}},
      {"--n_tokens 16 --d_model 500000 --d_k 400000", {"GiB", "d_model"}},
      {"--d_k 16,32", {"d_k"}},
      {"--attention flash", {"attention", "flash", "materialised", "streaming"}},
      {"--repeats 0", {"repeats"}},
      {"--dtype float16", {"dtype", "float32"}},
  }));
  const Ended ended = run(folder, arguments + " --out new");
  INFO(arguments << ": " << ended.errors);
  CHECK(ended.code == 2);
  for (const std::string& part : parts) CHECK_THAT(ended.errors, ROOTDK_CONTAINS(part));
  CHECK(std::count(ended.errors.begin(), ended.errors.end(), '\n') == 1);
  CHECK_FALSE(fs::exists(folder / "new"));
}
