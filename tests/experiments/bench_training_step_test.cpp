// The bench: what it times is right, and the binary on tiny sizes. Nothing depends on how fast it is.
#include <cmath>
#include <limits>
#include <numeric>

#include "bench/bench_config.hpp"
#include "bench/step_times.hpp"
#include "catch.hpp"
#include "rootdk/harness/atomic_file.hpp"
#include "support/binary.hpp"

using namespace rootdk;
using harness::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

constexpr StepShape small{.batch_size = 2, .n_tokens = 5, .d_model = 6, .d_k = 3};

Ended run(const TemporaryFolder& folder, const std::string& arguments) {
  return run_binary("bench_training_step", folder, arguments);
}

std::vector<std::vector<std::string>> rows_of(const fs::path& csv, const std::string& header) {
  std::istringstream lines(read(csv));
  std::string line;
  std::getline(lines, line);
  REQUIRE(line == header);
  std::vector<std::vector<std::string>> rows;
  while (std::getline(lines, line)) {
    std::istringstream text(line + ",");
    auto& fields = rows.emplace_back();
    for (std::string field; std::getline(text, field, ',');) fields.push_back(field);
    REQUIRE(static_cast<std::size_t>(std::count(header.begin(), header.end(), ',')) + 1 ==
            fields.size());
  }
  return rows;
}

const std::string bench_columns =
    "batch_size,n_tokens,d_model,d_k,ours_us,peer_us,ratio,bound_share";
const std::string streaming_columns = "n_tokens,d_k,path,us,peak_bytes";
const std::string tiny = "--shapes 2x5x6x3,1x4x3x2 --rounds 2 --n_tokens 512,256 --quiet ";

// Another engine that happens to be ours, and may be made to err.
class OtherStep : public Peer {
 public:
  explicit OtherStep(float error = 0)
      : step_(small, {.gemm = GemmBackend::reference}, 1), error_(error) {}
  StepResult result() override {
    StepResult result = step_.result();
    for (float& entry : result.gradients[1]) entry *= 1 + error_;
    return result;
  }
  void step() override { step_.step(); }

 private:
  TrainingStep step_;
  float error_;
};

}  // namespace

TEST_CASE("bench: the recorded products are all that a step multiplies", "[bench]") {
  const auto order = GENERATE(ScoreOrder::direct, ScoreOrder::merged);
  const TrainingStep step(small, {.order = order}, 1);
  Index operations = 0;
  for (const auto& call : step.recorded()) {
    operations += 2 * call.product.m * call.product.n * call.product.k;
  }
  const auto [B, n, m, d_k] = small;
  const Index values = 2 * B * n * m * step_classes;   // V and dW_V
  const Index average = 3 * B * n * n * step_classes;  // O, dA, dV
  CHECK(static_cast<double>(operations) == 2 * score_operations(order, {B, n, n, m, d_k}) +
                                               static_cast<double>(2 * (values + average)));
}

TEST_CASE("bench: products between two steps change neither", "[bench]") {
  TrainingStep plain(small, {}, 1), disturbed(small, {}, 1);
  for (int i = 0; i < 3; ++i) {
    for (int k = 0; k < 100; ++k) disturbed.products();
    plain.step();
    disturbed.step();
  }
  const StepResult a = plain.result(), b = disturbed.result();
  CHECK(std::isfinite(a.loss));
  CHECK(a.loss == b.loss);
  CHECK(a.gradients == b.gradients);
}

TEST_CASE("bench: a result differs from another by more than rounding, or it does not",
          "[bench][teeth]") {
  TrainingStep ours(small, {}, 1), same(small, {.gemm = GemmBackend::reference}, 1);
  const StepResult right = ours.result();
  CHECK(disagreement(right, same.result()) == "");
  StepResult wrong = right;
  wrong.loss *= 1 + 1e-4;
  CHECK_THAT(disagreement(wrong, right), ROOTDK_CONTAINS("loss"));
  wrong.loss = std::numeric_limits<double>::quiet_NaN();
  CHECK_THAT(disagreement(wrong, right), ROOTDK_CONTAINS("loss"));
  const std::array<std::string, 3> names{"W_Q", "W_K", "W_V"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    wrong = right;
    for (float& entry : wrong.gradients[i]) entry *= 1 + 1e-4F;
    CHECK_THAT(disagreement(wrong, right), ROOTDK_CONTAINS(names[i]));
    wrong.gradients[i][0] = std::numeric_limits<float>::quiet_NaN();
    CHECK_THAT(disagreement(wrong, right), ROOTDK_CONTAINS(names[i]));
    wrong.gradients[i].clear();
    CHECK_THAT(disagreement(wrong, right), ROOTDK_CONTAINS(names[i]));
  }
}

TEST_CASE("bench: a peer that computes something else is not timed", "[bench][teeth]") {
  TrainingStep ours(small, {}, 1);
  OtherStep equal, wrong(1e-3F);
  std::size_t rounds = 0;
  const StepTimes times = time_step(ours, &equal, 2, [&] { ++rounds; });
  CHECK(rounds == 2);
  CHECK(times.peer.has_value());
  CHECK_FALSE(time_step(ours, nullptr, 1, [] {}).peer.has_value());
  TrainingStep again(small, {}, 1);
  CHECK_THROWS_WITH(time_step(again, &wrong, 2, [] {}), ROOTDK_CONTAINS("W_K"));
}

TEST_CASE("bench: the memory of a core is known before it is taken", "[bench]") {
  for (const CorePath& path : core_paths()) {
    INFO(path.name);
    const auto n = GENERATE(as<Index>(), 300, 1500);
    const CoreCost cost = measure_core(path, n, {.repeats = 1, .budget = 0});
    CHECK(cost.seconds > 0);
    CHECK(static_cast<double>(cost.bytes) > 0.99 * expected_core_bytes(path, n));
    CHECK(static_cast<double>(cost.bytes) < 1.01 * expected_core_bytes(path, n));
  }
}

TEST_CASE("bench_training_step: without the peer its columns are empty", "[run]") {
  TemporaryFolder folder;
  REQUIRE(run(folder, tiny + "--peer false --threads 7 --out out").code == 0);
  const auto steps = rows_of(folder / "out/bench.csv", bench_columns);
  REQUIRE(steps.size() == 2);
  CHECK(std::vector(steps[0].begin(), steps[0].begin() + 4) ==
        std::vector<std::string>{"2", "5", "6", "3"});
  for (const auto& row : steps) {
    CHECK(std::stod(row[4]) > 0);
    CHECK(row[5].empty());
    CHECK(row[6].empty());
    CHECK(std::stod(row[7]) > 0);
  }
  const auto cores = rows_of(folder / "out/streaming.csv", streaming_columns);
  REQUIRE(cores.size() == 2 * core_paths().size());
  CHECK(cores.front()[0] == "256");  // ascending, however they were written
  CHECK(cores.front()[2] == "materialised");
  for (const auto& row : cores) {
    CHECK(row[1] == "64");
    CHECK(std::stod(row[3]) > 0);
    CHECK(std::stod(row[4]) > 4 * 7 * 64 * std::stod(row[0]));  // Q, K, V, O, three gradients
  }
  const Ended shown = run(folder, "--config out/config.toml --resume --out out");
  CHECK(shown.code == 0);
  CHECK_THAT(shown.output, ROOTDK_CONTAINS("2x5x6x3"));
  CHECK_THAT(shown.output, ROOTDK_CONTAINS("peer = false"));
}

TEST_CASE("bench_training_step: with a peer each row has its time, without one a sentence says so",
          "[run]") {
  TemporaryFolder folder;
  REQUIRE(run(folder, tiny + "--long_sequences false --out out").code == 0);
  const bool built_in = read(folder / "out/meta.json").find("libtorch") != std::string::npos;
  for (const auto& row : rows_of(folder / "out/bench.csv", bench_columns)) {
    CHECK(row[5].empty() != built_in);
    if (built_in) CHECK(std::stod(row[6]) == Approx(std::stod(row[5]) / std::stod(row[4])));
  }
  CHECK(rows_of(folder / "out/streaming.csv", streaming_columns).empty());
  const Ended shown = run(folder, "--config out/config.toml --resume --out out");
  CHECK_THAT(shown.output, ROOTDK_CONTAINS(built_in ? "geometric mean" : "libtorch-dev"));
}

TEST_CASE("bench_training_step: a share of products above the whole is said to be a disturbed one",
          "[run]") {
  TemporaryFolder folder;
  const std::string arguments =
      "--shapes 2x5x6x3 --rounds 1 --long_sequences false --peer false --out out ";
  REQUIRE(run(folder, arguments).code == 0);
  for (const bool busy : {true, false}) {
    harness::write_file_atomically(
        folder / "out/bench.csv", bench_columns + "\n2,5,6,3,1,,," + (busy ? "1.2" : "0.9") + "\n");
    const Ended shown = run(folder, arguments + "--resume");
    CHECK(shown.code == 0);
    CHECK((shown.output.find("products above 1") != std::string::npos) == busy);
  }
}

TEST_CASE("bench_training_step: a wrong request names the key and what it may hold", "[bench]") {
  const auto [arguments, parts] =
      GENERATE(table<std::vector<std::string>, std::vector<std::string>>({
          {{"--shapes", "32x16x48"}, {"shapes", "'32x16x48'", "32x16x48x4"}},
          {{"--shapes", "32x16x48x4x"}, {"'32x16x48x4x'"}},
          {{"--shapes", "32x16x0x4"}, {"'32x16x0x4'", "from 1 to 32768"}},
          {{"--shapes", "32x16x-48x4"}, {"'32x16x-48x4'"}},
          {{"--shapes", "2x2x2x2,32768x32768x2x2"}, {"32768x32768x2x2", "GiB"}},
          {{"--rounds", "0"}, {"rounds"}},
          {{"--paths", "spiral"}, {"paths", "materialised_causal"}},
          {{"--dtype", "float64"}, {"dtype", "float32"}},
      }));
  std::string message;
  try {
    step_shapes(harness::read_request(bench_spec(), arguments).config);
  } catch (const harness::RequestError& error) {
    message = error.what();
  }
  for (const std::string& part : parts) CHECK_THAT(message, ROOTDK_CONTAINS(part));
  CHECK(std::count(message.begin(), message.end(), '\n') == 0);
}

TEST_CASE("bench_training_step: a wrong shape is exit 2, and nothing on the disk", "[run]") {
  TemporaryFolder folder;
  const Ended ended = run(folder, "--shapes 32x16x48 --out new");
  CHECK(ended.code == 2);
  CHECK(std::count(ended.errors.begin(), ended.errors.end(), '\n') == 1);
  CHECK_FALSE(fs::exists(folder / "new"));
}
