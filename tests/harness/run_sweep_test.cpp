#include <atomic>
#include <mutex>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "catch.hpp"
#include "support/temporary_folder.hpp"
#include "toy_sweep.hpp"

namespace rootdk::harness {
namespace {

namespace fs = std::filesystem;

TEST_CASE("A product numbers its points with the last key fastest", "[harness]") {
  const Config config = toy_config("scale = [\"none\", 2]\nd_k = [8, 16]\nseed = [1, 2]");
  std::string text;
  for (const CellPoint& point : product(config)) {
    text += std::to_string(point.number) + ":" + point.config.word("scale") + "," +
            point.config.word("d_k") + "," + point.config.word("seed") + " ";
  }
  CHECK(text == "0:none,8,1 1:none,8,2 2:none,16,1 3:none,16,2 4:2,8,1 5:2,8,2 6:2,16,1 7:2,16,2 ");
  const std::vector<CellPoint> some = product(config, {"d_k"});
  REQUIRE(some.size() == 2);
  CHECK(some[1].config.integer("d_k") == 16);
  CHECK(some[1].config.words("scale").size() == 2);
  CHECK(some[1].config.integer("steps") == 5);
  CHECK_THROWS_AS(product(config, {"walrus"}), std::logic_error);
}

TEST_CASE("A product of more than 100000 cells is refused before it is made", "[harness]") {
  std::string numbers = "1";
  for (int number = 2; number <= 400; ++number) numbers.append(",").append(std::to_string(number));
  const Config config = toy_config("", {"--seed", numbers, "--d_k", numbers, "--scale", "none"});
  CHECK_THAT(complaint([&] { product(config); }),
             ROOTDK_CONTAINS("--seed: the product of all lists has more than 100000 cells"));
}

TEST_CASE("The files are the same at any number of threads and in any order", "[harness]") {
  const TemporaryFolder folder;
  run_toy(toy_request(folder / "1", {"--threads", "1"}));
  const auto one = contents(folder / "1");
  for (const char* threads : {"2", "7", "100"}) {
    run_toy(toy_request(folder / threads, {"--threads", threads}));
    CHECK(contents(folder / threads) == one);
  }
  const Request request = toy_request(folder / "costly", {"--threads", "2"});
  std::vector<std::size_t> order;
  std::mutex mutex;
  run_sweep(request, toy_tables, product(request.config),
            {.cost = [](const CellPoint& point) { return point.config.real("lr"); }},
            [&](const CellPoint& point, CellOutput& out) {
              toy_cell(point, out);
              const std::lock_guard lock(mutex);
              order.push_back(point.number);
            });
  CHECK(contents(folder / "costly") == one);
  CHECK(order.front() % 3 == 2);  // lr = 10
  CHECK(order.back() % 3 == 0);   // lr = 0.1
}

TEST_CASE("A failing cell stops the sweep and resuming it gives the same bytes", "[harness]") {
  const TemporaryFolder folder;
  run_toy(toy_request(folder / "whole"));
  const int threads = GENERATE(1, 3);
  const fs::path out = folder / "broken";
  const auto fails_at_5 = [](const CellPoint& point, CellOutput& output) {
    if (point.number == 5) throw std::runtime_error("cell 5 broke");
    toy_cell(point, output);
  };
  CHECK_THROWS_WITH(run_toy(toy_request(out, {"--threads", std::to_string(threads)}), fails_at_5),
                    "cell 5 broke");
  CHECK_FALSE(fs::exists(out / "runs.csv"));
  CHECK_FALSE(fs::exists(out / "parts/cell_000005"));
  if (threads == 1) CHECK(fs::exists(out / "parts/cell_000004"));

  std::atomic<int> calls{0};
  run_toy(toy_request(out, {"--resume"}), [&](const CellPoint& point, CellOutput& output) {
    ++calls;
    toy_cell(point, output);
  });
  CHECK(calls <= 7 + threads);
  CHECK(contents(out) == contents(folder / "whole"));
}

TEST_CASE("A signal stops the sweep between steps and says how to go on", "[harness]") {
  const TemporaryFolder folder;
  run_toy(toy_request(folder / "whole"));
  const fs::path out = folder / "stopped";
  const auto interrupted_at_3 = [](const CellPoint& point, CellOutput& output) {
    toy_cell(point, output);
    if (point.number != 3) return;
    ::raise(SIGTERM);
    for (int wait = 0; wait < 10'000; ++wait) {  // milliseconds; ends much earlier
      output.advance();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  std::string sentence;
  try {
    run_toy(toy_request(out, {"--threads", "1"}), interrupted_at_3);
  } catch (const Interrupted& error) {
    sentence = error.what();
  }
  CHECK(sentence == "stopped with 3 of 12 cells finished; --resume goes on from there");
  CHECK_FALSE(fs::exists(out / "parts/cell_000003"));
  run_toy(toy_request(out, {"--resume"}));
  CHECK(contents(out) == contents(folder / "whole"));
}

TEST_CASE("A run killed without warning is resumed to the same bytes", "[harness]") {
  const TemporaryFolder folder;
  run_toy(toy_request(folder / "whole"));
  const fs::path out = folder / "killed";
  const pid_t child = ::fork();
  if (child == 0) {
    run_toy(toy_request(out, {"--threads", "2"}), [](const CellPoint& point, CellOutput& output) {
      if (point.number == 6) ::raise(SIGKILL);
      toy_cell(point, output);
    });
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  CHECK_FALSE(fs::exists(out / "runs.csv"));
  CHECK(fs::exists(out / "parts/cell_000000"));
  run_toy(toy_request(out, {"--resume"}));
  CHECK(contents(out) == contents(folder / "whole"));
}

TEST_CASE("Threads that the system refuses are told from other failures", "[harness]") {
  const TemporaryFolder folder;
  pthread_attr_t usual;
  REQUIRE(::pthread_getattr_default_np(&usual) == 0);
  pthread_attr_t huge = usual;
  REQUIRE(::pthread_attr_setstacksize(&huge, std::size_t{1} << 47U) ==
          0);  // all a process may have
  REQUIRE(::pthread_setattr_default_np(&huge) == 0);
  std::string sentence;
  try {
    run_toy(toy_request(folder / "run", {"--threads", "7"}));
  } catch (const std::runtime_error& error) {
    sentence = error.what();
  }
  ::pthread_setattr_default_np(&usual);
  ::pthread_attr_destroy(&usual);
  CHECK(sentence ==
        "--threads 7: the system refused thread 1 (Resource temporarily unavailable); lower"
        " --threads");
  run_toy(toy_request(folder / "run", {"--resume"}));
  CHECK(fs::exists(folder / "run/meta.json"));
}

TEST_CASE("A cell names its tables and their columns right", "[harness]") {
  const TemporaryFolder folder;
  CHECK_THROWS_WITH(run_toy(toy_request(folder / "a"),
                            [](const CellPoint&, CellOutput& out) { out.rows("stesp"); }),
                    ROOTDK_CONTAINS("no table stesp"));
  CHECK_THROWS_WITH(run_toy(toy_request(folder / "b"),
                            [](const CellPoint&, CellOutput& out) { out.rows("steps").append(1); }),
                    ROOTDK_CONTAINS("a row of 1 fields for a table of 2 columns"));
}

}  // namespace
}  // namespace rootdk::harness
