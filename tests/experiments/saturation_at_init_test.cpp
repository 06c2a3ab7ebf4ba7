// The binary as its users meet it.
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "support/binary.hpp"

using rootdk::harness::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

Ended run(const TemporaryFolder& folder, const std::string& arguments) {
  return run_binary("saturation_at_init", folder, arguments + " --quiet");
}

// Lines that begin so.
std::string lines_of(const fs::path& csv, const std::string& start) {
  std::istringstream lines(read(csv));
  std::string found;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(start)) found += line + "\n";
  }
  return found;
}

const std::string small = "--n_tokens 4,9 --d_k 3,64 --n_queries 40 ";
const std::vector<std::string> tables{"statistics.csv", "attention_rows.csv"};

}  // namespace

TEST_CASE("saturation_at_init: the same bytes at any number of threads", "[run]") {
  TemporaryFolder folder;
  REQUIRE(run(folder, small + "--threads 1 --out one").code == 0);
  REQUIRE(run(folder, small + "--threads 5 --out many").code == 0);
  REQUIRE(run(folder, "--config one/config.toml --out again").code == 0);
  for (const std::string& table : tables) {
    CHECK(read(folder / "one" / table).size() > 1000);
    CHECK(read(folder / "one" / table) == read(folder / "many" / table));
    CHECK(read(folder / "one" / table) == read(folder / "again" / table));
  }
}

TEST_CASE("saturation_at_init: another value in a list changes no other row", "[run]") {
  TemporaryFolder folder;
  REQUIRE(run(folder, small + "--scale none --out one").code == 0);
  REQUIRE(run(folder,
              "--n_tokens 9,5 --d_k 8,64 --scale inv_dk,0.3,none --n_queries 40 "
              "--out more")
              .code == 0);
  for (const std::string& table : tables) {
    const std::string rows = lines_of(folder / "one" / table, "9,64,none,");
    CHECK(rows.size() > 1000);
    CHECK(rows == lines_of(folder / "more" / table, "9,64,none,"));
  }
}

TEST_CASE("saturation_at_init: the columns and the rows that others read", "[run]") {
  TemporaryFolder folder;
  REQUIRE(run(folder, small + "--scale none,0.5 --dtype float32 --out out").code == 0);
  const fs::path statistics = folder / "out/statistics.csv";
  CHECK_THAT(read(statistics),
             Catch::Matchers::StartsWith("n_tokens,d_k,scale,quantity,statistic,measured,"
                                         "standard_error,theory\n4,3,none,logit,mean,"));
  for (const std::string row :
       {"logit,variance", "logit,kurtosis", "softmax_jacobian_norm,dead_1e-3",
        "softmax_jacobian_norm,live_share", "softmax_jacobian_spectral,median",
        "softmax_jacobian_trace,rms", "p_max,q05", "entropy,mean", "effective_keys,q95",
        "top_two_gap,median", "query_grad_norm_lin,rms", "query_grad_norm_mse,median",
        "query_grad_norm_attn_ce,exact_zero", "float32_weight_one,mean", "float32_winner_zero,mean",
        "float32_row_zero,mean"}) {
    CHECK_FALSE(lines_of(statistics, "9,64,0.5," + row + ",").empty());
  }
  CHECK(lines_of(statistics, "9,64,none,p_max,exact_zero").empty());
  CHECK_THAT(lines_of(statistics, "9,64,0.5,logit,variance"), Catch::Matchers::EndsWith(",16\n"));
  CHECK_THAT(lines_of(statistics, "9,3,0.5,softmax_jacobian_norm,median"),
             Catch::Matchers::EndsWith(",\n"));
}

TEST_CASE("saturation_at_init: a wrong request is one sentence and exit 2", "[run]") {
  TemporaryFolder folder;
  for (const std::string wrong : {"--n_tokens 1", "--d_k 0", "--n_queries 1", "--scale sqrt",
                                  "--dtype half", "--d_k 4,4", "--lr 1", "--d_k 1000000000000",
                                  "--n_queries 100000000000", "--n_tokens 9000000000000000000"}) {
    INFO(wrong);
    const Ended ended = run(folder, wrong + " --out out");
    CHECK(ended.code == 2);
    CHECK(std::count(ended.errors.begin(), ended.errors.end(), '\n') == 1);
    CHECK_THAT(ended.errors, ROOTDK_CONTAINS(wrong.substr(2, 2)));
    CHECK_FALSE(fs::exists(folder / "out"));
  }
}

TEST_CASE("saturation_at_init: at the bounds of the scale every number is finite", "[run]") {
  // 2^100, 2^-100 and what is next to them over sqrt(d_k) = 1 and 8: what its refusal names.
  const std::pair<std::string, std::string> bounds[]{
      {"1", "1.2676506002282294e+30,-1.2e30,7.888609052210118e-31"},
      {"64", "1.5845632502852868e+29,-1.5e29,9.860761315262648e-32"}};
  for (const auto& [d_k, scales] : bounds) {
    for (const std::string dtype : {"float32", "float64"}) {
      TemporaryFolder folder;
      const Ended ended = run(folder, "--n_tokens 2,300 --n_queries 30 --out out --dtype " + dtype +
                                          " --d_k " + d_k + " --scale " + scales);
      INFO(d_k << " " << dtype << " " << ended.errors);
      REQUIRE(ended.code == 0);
      for (const std::string& table : tables) {
        const std::string text = read(folder / "out" / table);
        CHECK(text.find("nan") == std::string::npos);
        CHECK(text.find(",inf") == std::string::npos);
        CHECK(text.find("-inf") == std::string::npos);
      }
    }
  }
}
