// The binary roles as its users meet it.
#include <cmath>
#include <map>
#include <sstream>

#include "catch.hpp"
#include "support/binary.hpp"

using rootdk::harness::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

Ended run(const TemporaryFolder& folder, const std::string& arguments) {
  return run_binary("roles", folder, arguments);
}

// Rows of a CSV without quotes, the header aside.
std::vector<std::vector<std::string>> rows(const fs::path& path) {
  std::vector<std::vector<std::string>> table;
  std::istringstream lines(read(path));
  std::string line, field;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    table.emplace_back();
    while (std::getline(fields, field, ',')) table.back().push_back(field);
  }
  return table;
}

const std::string tiny =
    "--d_k 4,8 --weight_decay 0,0.01 --seed 1,2 --n_tokens 6 --slot_dim 4 --n_classes 4 "
    "--batch_size 2 --steps 5 --log_every 2 --evaluation_sequences 4 --map_queries 2 "
    "--ablation_n_tokens 6 --ablation_n_keys 6 --ablation_slot_dim 4 --ablation_n_classes 6 "
    "--ablation_d_k 6 --ablation_batch_size 4 --ablation_steps 3 "
    "--ablation_evaluation_sequences 8 --quiet ";
const std::vector<std::string> tables{"roles.csv", "roles_runs.csv", "attention_map.csv",
                                      "ablation.csv", "ablation_seeds.csv"};

}  // namespace

TEST_CASE("roles: the same bytes at any number of threads", "[run]") {
  TemporaryFolder folder;
  REQUIRE(run(folder, tiny + "--threads 1 --out one").code == 0);
  REQUIRE(run(folder, tiny + "--threads 2 --out two").code == 0);
  REQUIRE(run(folder, "--config one/config.toml --quiet --out again").code == 0);
  for (const std::string& table : tables) {
    INFO(table);
    CHECK(read(folder / "one" / table) == read(folder / "two" / table));
    CHECK(read(folder / "one" / table) == read(folder / "again" / table));
  }
}

TEST_CASE("roles: what the tables hold", "[run]") {
  TemporaryFolder folder;
  const Ended ended = run(folder, tiny + "--out out");
  INFO(ended.errors);
  REQUIRE(ended.code == 0);
  CHECK(
      read(folder / "out/roles.csv").starts_with("d_k,weight_decay,seed,step,matrix,slot,mass\n"));
  CHECK(read(folder / "out/ablation.csv")
            .starts_with("projections,intervention,target,accuracy,ci_low,ci_high\n"));

  // 8 cells; steps 0, 2, 4 and 5; three matrices with three slots, and the product.
  std::map<std::string, double> sum;
  const auto masses = rows(folder / "out/roles.csv");
  CHECK(masses.size() == 8 * 4 * 10);
  for (const auto& row : masses) {
    if (row[4] == "w_q_w_k") {
      CHECK(row[5] == "ask_key");
    } else {
      sum[row[0] + "/" + row[1] + "/" + row[2] + "/" + row[3] + "/" + row[4]] += std::stod(row[6]);
    }
  }
  CHECK(sum.size() == 8 * 4 * 3);
  for (const auto& [which, mass] : sum) CHECK(mass == Approx(1).epsilon(1e-12));

  // Weights of one attention row add up to one; only the first seed has a map.
  std::map<std::string, double> attention;
  for (const auto& row : rows(folder / "out/attention_map.csv")) {
    CHECK(row[2] == "1");
    attention[row[0] + "/" + row[1] + "/" + row[3] + "/" + row[4]] += std::stod(row[7]);
  }
  CHECK(attention.size() == 4 * 2 * 2);
  for (const auto& [which, weight] : attention) CHECK(weight == Approx(1).epsilon(1e-5));

  // Untied: six interventions; tied: untrained and trained; none: one. Three targets each.
  const auto ablation = rows(folder / "out/ablation.csv");
  CHECK(ablation.size() == (6 + 2 + 1) * 3);
  std::map<std::string, std::pair<double, double>> pooled;
  for (const auto& row : rows(folder / "out/ablation_seeds.csv")) {
    auto& [correct, asked] = pooled[row[0] + "/" + row[1] + "/" + row[2]];
    correct += std::stod(row[4]);
    asked += std::stod(row[5]);
  }
  for (const auto& row : ablation) {
    const auto [correct, asked] = pooled.at(row[0] + "/" + row[1] + "/" + row[2]);
    CHECK(asked == 16);
    CHECK(std::stod(row[3]) == correct / asked);
    CHECK(std::stod(row[4]) <= std::stod(row[3]));
    CHECK(std::stod(row[5]) >= std::stod(row[3]));
  }
}

TEST_CASE("roles: a wrong request is one sentence that names the key", "[run]") {
  TemporaryFolder folder;
  const auto [flags, part] = GENERATE(table<std::string, std::string>({
      {"--ablation_n_tokens 10", "ablation_n_tokens = 10 must be a multiple of 3"},
      {"--ablation_n_classes 11", "ablation_n_classes = 11 must be at least"},
      {"--projections shared", "projections"},
      {"--d_k 100000000", "GiB"},
      {"--ablation_d_k 1000000000", "ablation_d_k"},
      {"--n_tokens 1", "n_tokens"},
  }));
  const Ended ended = run(folder, flags + " --out new");
  INFO(ended.errors);
  CHECK(ended.code == 2);
  CHECK_THAT(ended.errors, ROOTDK_CONTAINS(part));
  CHECK(std::count(ended.errors.begin(), ended.errors.end(), '\n') == 1);
  CHECK_FALSE(fs::exists(folder / "new"));
}
