// The binary as its users meet it: command line in; exit code, one sentence and files out.
#include <map>
#include <set>
#include <sstream>
#include <xtensor/xnpy.hpp>
#include <xtensor/xtensor.hpp>

#include "catch.hpp"
#include "support/binary.hpp"

using rootdk::harness::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

Ended run(const TemporaryFolder& folder, const std::string& arguments) {
  return run_binary("train_retrieval", folder, arguments);
}

const std::string tiny =
    "--n_tokens 8 --slot_dim 8 --batch_size 4 --steps 6 --quiet --evaluation_sequences 8 "
    "--evaluate_every 3 ";
const std::string small = tiny + "--n_classes 4 --log_every 2 ";
const std::string lists = "--d_k 4,40 --lr 0.5,1 --seed 1,2 ";
const std::string sweep = small + lists;

// Rows of a CSV without the number of their cell, which is all that a longer list may change.
std::multiset<std::string> rows_without_run(const fs::path& csv) {
  std::multiset<std::string> rows;
  std::istringstream lines(read(csv));
  for (std::string line; std::getline(lines, line);) rows.insert(line.substr(line.find(',')));
  return rows;
}

const std::vector<std::string> tables{"runs.csv", "steps.csv", "probes.csv"};

}  // namespace

TEST_CASE("train_retrieval: the same bytes at any number of threads", "[run]") {
  TemporaryFolder folder;
  REQUIRE(run(folder, sweep + "--threads 1 --out one").code == 0);
  for (const std::string threads : {"2", "7"}) {
    REQUIRE(run(folder, sweep + "--threads " + threads + " --out many --overwrite").code == 0);
    for (const std::string& table : tables) {
      INFO(table << " with " << threads << " threads");
      CHECK(read(folder / "one" / table) == read(folder / "many" / table));
    }
  }
}

TEST_CASE("train_retrieval: config.toml of a run gives the same bytes again", "[run]") {
  TemporaryFolder folder;
  REQUIRE(run(folder, sweep + "--dtype float64 --scale none,0.25 --out first").code == 0);
  REQUIRE(run(folder, "--config first/config.toml --quiet --out second").code == 0);
  for (const std::string& name : tables) {
    CHECK(read(folder / "first" / name) == read(folder / "second" / name));
  }
  CHECK(read(folder / "first/config.toml") == read(folder / "second/config.toml"));
}

TEST_CASE("train_retrieval: another value in a list changes no other cell", "[run]") {
  TemporaryFolder folder;
  REQUIRE(run(folder, sweep + "--out few").code == 0);
  REQUIRE(run(folder, small + "--d_k 4,16,40 --lr 0.5,0.7,1 --seed 3,1,2 --out many").code == 0);
  for (const std::string& table : tables) {
    const auto few = rows_without_run(folder / "few" / table);
    const auto many = rows_without_run(folder / "many" / table);
    CHECK(few.size() > 4);
    CHECK(std::includes(many.begin(), many.end(), few.begin(), few.end()));
  }
}

TEST_CASE("train_retrieval: how often it logs changes no loss", "[run]") {
  TemporaryFolder folder;
  REQUIRE(run(folder, sweep + "--out often").code == 0);
  REQUIRE(run(folder, tiny + lists + "--n_classes 4 --log_every 6 --out seldom").code == 0);
  const auto often = rows_without_run(folder / "often/steps.csv");
  const auto seldom = rows_without_run(folder / "seldom/steps.csv");
  CHECK(seldom.size() == 1 + 16 * 2);  // header, then steps 0 and 6 of each cell
  CHECK(std::includes(often.begin(), often.end(), seldom.begin(), seldom.end()));
}

TEST_CASE("train_retrieval: a wrong request is one sentence, exit 2, and nothing on the disk",
          "[run]") {
  TemporaryFolder folder;
  fs::create_directory(folder / "taken");
  write(folder / "taken/notes.txt", "mine");
  const auto [text, parts] = GENERATE(table<std::string, std::vector<std::string>>({
      {"steps = 5\nlerning_rate = 1\n", {"c.toml:2", "lerning_rate"}},
      {"steps = 5\n\nbatch_sise = 4\n", {"c.toml:3", "batch_sise", "batch_size"}},
      {"steps = -5\n", {"c.toml:1", "steps", "-5"}},
      {"d_k = [16, -4]\n", {"c.toml:1", "d_k", "-4"}},
      {"lr = [1, nan]\n", {"c.toml:1", "lr", "nan"}},
      {"lr = 0\n", {"c.toml:1", "lr", "> 0"}},
      {"scale = [\"sqrt\"]\n", {"c.toml:1", "scale", "sqrt", "inv_sqrt_dk"}},
      {"task = \"lookup\"\nn_keys = 8\n", {"c.toml:2", "n_keys", "64"}},
      {"momentum = 0.9\noptimizer = \"adam\"\n", {"c.toml:1", "momentum", "adam"}},
      {"n_queries = 3\n", {"c.toml:1", "n_queries", "lookup"}},
      {"d_k = 100000000\n", {"c.toml:1", "d_k", "GiB"}},
      {"n_tokens = 4000000\n", {"c.toml:1", "n_tokens", "GiB"}},
      {"batch_size = 9000000000000000000\n", {"c.toml:1", "batch_size"}},
      {"log_every = 1\nsteps = 9223372036854775807\n", {"c.toml:2", "steps", "2147483647"}},
      {"n_keys = 2147483647\n", {"c.toml:1", "n_keys", "GiB"}},
  }));
  write(folder / "c.toml", text);
  const Ended ended = run(folder, "--config c.toml --out new");
  INFO(text << ended.errors);
  CHECK(ended.code == 2);
  for (const std::string& part : parts) CHECK_THAT(ended.errors, ROOTDK_CONTAINS(part));
  CHECK(std::count(ended.errors.begin(), ended.errors.end(), '\n') == 1);
  CHECK_FALSE(fs::exists(folder / "new"));
  CHECK_FALSE(fs::exists(folder / "runs"));

  write(folder / "c.toml", "steps = 5\n");
  const Ended taken = run(folder, "--config c.toml --out taken");
  CHECK(taken.code == 2);
  CHECK_THAT(taken.errors, ROOTDK_CONTAINS("taken"));
  CHECK(std::distance(fs::directory_iterator(folder / "taken"), fs::directory_iterator()) == 1);
}

TEST_CASE("train_retrieval: config files that programs get wrong", "[run]") {
  for (const auto& entry : fs::directory_iterator(ROOTDK_SOURCE_DIR "/tests/data/toml")) {
    const std::string name = entry.path().filename().string();
    TemporaryFolder folder;
    const Ended ended = run(folder, "--config " + entry.path().string() + " --quiet --out out");
    INFO(name << ": " << ended.errors);
    if (name.starts_with("bad_")) {
      CHECK(ended.code == 2);
      CHECK_THAT(ended.errors, ROOTDK_CONTAINS(name + ":"));
      CHECK_FALSE(fs::exists(folder / "out"));
    } else {
      CHECK(ended.code == 0);
      CHECK(fs::exists(folder / "out/runs.csv"));
    }
  }
}

TEST_CASE("train_retrieval: how a file is written changes no number", "[run]") {
  const std::string data = "--config " ROOTDK_SOURCE_DIR "/tests/data/toml/";
  TemporaryFolder folder;
  REQUIRE(run(folder, data + "ok_scalar.toml --quiet --out plain").code == 0);
  for (const std::string same : {"ok_bom.toml", "ok_crlf.toml"}) {
    REQUIRE(run(folder, data + same + " --quiet --overwrite --out other").code == 0);
    CHECK(read(folder / "plain/steps.csv") == read(folder / "other/steps.csv"));
  }
}

TEST_CASE("train_retrieval: a loss over 87 is written as it is", "[run]") {
  TemporaryFolder folder;
  const std::string config = ROOTDK_SOURCE_DIR "/tests/data/toml/loss_over_87.toml";
  REQUIRE(run(folder, "--config " + config + " --log_every 1 --quiet --out out").code == 0);
  std::istringstream lines(read(folder / "out/steps.csv"));
  double largest = 0;
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::istringstream fields(line);
    std::string field;
    for (int column = 0; column <= 9; ++column) std::getline(fields, field, ',');
    largest = std::max(largest, std::stod(field));
  }
  CHECK(largest > 87.4);
}

TEST_CASE("train_retrieval: a diverged cell is recorded with op and step, and the sweep goes on",
          "[run]") {
  TemporaryFolder folder;
  REQUIRE(run(folder, small + "--d_k 4 --lr 1,1e30 --scale none --seed 1 --out out").code == 0);
  const std::string runs = read(folder / "out/runs.csv");
  CHECK_THAT(runs, ROOTDK_CONTAINS(",ok,"));
  CHECK_THAT(runs, ROOTDK_CONTAINS(",diverged,,"));  // no final loss
  CHECK_THAT(runs, ROOTDK_CONTAINS("not finite"));
}

TEST_CASE("train_retrieval: weights and batches are written as npy on request", "[run]") {
  TemporaryFolder folder;
  const std::string task = "--task associative_recall --n_queries 3 --n_classes 8 --n_keys 8 ";
  REQUIRE(run(folder, tiny + task +
                          "--d_k 4 --lr 0.5 --seed 1 --scale none --save_weights true "
                          "--dump_batches 2 --out out")
              .code == 0);
  const auto start = xt::load_npy<float>(folder / "out/weights/run_0000_w_q_start.npy");
  const auto end = xt::load_npy<float>(folder / "out/weights/run_0000_w_q.npy");
  CHECK(start.shape()[0] == 16);
  CHECK(start.shape()[1] == 4);
  CHECK(start != end);
  const std::string stem = (folder / "out/batches/associative_recall_n8_seed1/step_001").string();
  const auto tokens = xt::load_npy<float>(stem + "_tokens.npy");
  const auto queries = xt::load_npy<float>(stem + "_queries.npy");
  const auto labels = xt::load_npy<std::int32_t>(stem + "_labels.npy");
  const auto right = xt::load_npy<std::int32_t>(stem + "_right_key.npy");
  CHECK(tokens.dimension() == 3);
  CHECK(queries.shape()[1] == 3);
  // The token that holds the value shows it: slot_dim key entries, then sqrt(N_V) at the class.
  for (std::size_t b = 0; b < 4; ++b) {
    for (std::size_t q = 0; q < 3; ++q) {
      const auto token = static_cast<std::size_t>(right(b, q));
      CHECK(tokens(b, token, 8 + static_cast<std::size_t>(labels(b, q))) > 1);
    }
  }
}
