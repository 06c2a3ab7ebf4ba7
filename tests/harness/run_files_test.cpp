// Which files are a run's own: what it may overwrite, remove and miss.
#include "catch.hpp"
#include "support/temporary_folder.hpp"
#include "toy_sweep.hpp"

namespace rootdk::harness {
namespace {

namespace fs = std::filesystem;

TEST_CASE("Overwriting removes what the run wrote and leaves what others put beside it",
          "[harness]") {
  const TemporaryFolder folder;
  const fs::path out = folder / "run";
  run_toy(toy_request(out), [&](const CellPoint& point, CellOutput& output) {
    toy_cell(point, output);
    output.write_file("batches/n8/step_" + std::to_string(point.number) + ".npy", "bytes");
  });
  const std::vector<std::string> others{"figures/mine.png", "weights/mine.npy",
                                        "weights/run_99.npy", "elsewhere/mine.csv"};
  for (const std::string& mine : others) write_file_atomically(out / mine, "mine");
  write_file_atomically(out / "weights/run_3.npy.tmp", "half of it");
  run_toy(toy_request(out, {"--overwrite"}), [](const CellPoint&, CellOutput&) {});
  const auto after = contents(out);
  for (const std::string& mine : others) CHECK(after.at(mine) == "mine");
  CHECK(after.size() == 3 + others.size());  // config.toml and two tables
  CHECK_FALSE(fs::exists(out / "batches"));  // emptied
}

TEST_CASE("A file that another wrote is not overwritten and not removed", "[harness]") {
  const TemporaryFolder folder;
  run_toy(toy_request(folder / "whole"));
  const fs::path out = folder / "run";
  fs::create_directories(out);
  fs::copy(folder / "whole/config.toml", out / "config.toml");
  const std::string name = GENERATE("runs.csv", "steps.csv", "meta.json");
  write_file_atomically(out / name, "mine");
  const std::vector<std::string> flags =
      name == "meta.json" ? std::vector<std::string>{"--overwrite"}
                          : std::vector<std::string>{"--resume", "--overwrite", "--causal"};
  for (const std::string& flag : flags) {
    INFO(name << " " << flag);
    CHECK(opening(toy_request(out, {flag})) ==
          (out / name).string() +
              " is not of the run in this folder, which would overwrite it; move it away or choose"
              " another --out");
  }
  CHECK(contents(out).size() == (name == "meta.json" ? 1 : 2));
  CHECK(read_file(out / name) == "mine");
  CHECK_FALSE(fs::exists(out / ".lock"));
  fs::remove(out / name);
  run_toy(toy_request(out, {"--resume"}));  // the copied config.toml alone is a start
  CHECK(contents(out) == contents(folder / "whole"));
}

TEST_CASE("A file of another in the place of a side file stops the run", "[harness]") {
  const TemporaryFolder folder;
  const fs::path out = folder / "run";
  CHECK(opening(toy_request(out)) == "accepted");  // begun
  write_file_atomically(out / "weights/run_5.npy", "mine");
  CHECK_THAT(complaint([&] {
               run_toy(toy_request(out, {"--resume", "--threads", "1"}));
             }),
             ROOTDK_CONTAINS("weights/run_5.npy is not of the run in this folder"));
  CHECK(read_file(out / "weights/run_5.npy") == "mine");
}

TEST_CASE("A finished run that lost a file is not called finished", "[harness]") {
  const TemporaryFolder folder;
  const fs::path out = folder / "run";
  run_toy(toy_request(out));
  const std::string name = GENERATE("meta.json", "steps.csv", "weights/run_4.npy");
  fs::remove(out / name);
  CHECK(opening(toy_request(out, {"--resume"})) == "the finished run in " + out.string() +
                                                       " has lost its " + name +
                                                       "; only --overwrite computes it again");
  run_toy(toy_request(out, {"--overwrite"}));
  CHECK(fs::exists(out / name));
}

TEST_CASE("A figure is removed with its run but not missed", "[harness]") {
  const TemporaryFolder folder;
  const fs::path out = folder / "run";
  run_toy(toy_request(out));
  append_to_file(out / ".files", "figures/a.png\n");
  CHECK(opening(toy_request(out, {"--resume"})) == "accepted");
  write_file_atomically(out / "figures/a.png", "a picture");
  run_toy(toy_request(out, {"--overwrite"}));
  CHECK_FALSE(fs::exists(out / "figures"));
}

TEST_CASE("Notes that were cut off are completed and nobody else's file is taken for noted",
          "[harness]") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "run/.files", "a.npy\nweights/run_1");
  for (const char* mine : {"run/weights/run_1", "run/b.npy"}) {
    write_file_atomically(folder / mine, "mine");
  }
  NotedFiles noted(folder / "run");
  CHECK(noted.names() == std::set<std::string>{"a.npy"});
  CHECK_THROWS_AS(noted.add("weights/run_1"), RequestError);
  CHECK_THROWS_AS(noted.add("b.npy"), RequestError);
  noted.add("weights/run_12.npy");
  noted.add("a.npy");
  noted.add("c.npy");
  CHECK(read_file(folder / "run/.files") == "a.npy\nweights/run_12.npy\nc.npy\n");
  append_to_file(folder / "run/.files", "../outside\n/etc/passwd\nd.npy\n");
  CHECK(NotedFiles(folder / "run").names() ==
        std::set<std::string>{"a.npy", "c.npy", "d.npy", "weights/run_12.npy"});
}

TEST_CASE("What is derived from a table is of the run and written before its end", "[harness]") {
  const TemporaryFolder folder;
  const fs::path out = folder / "run";
  const std::vector<DerivedFile> derived{
      {"runs.md", "runs", [](const std::string& csv) { return "of " + csv; }}};
  const auto run = [&](const std::vector<std::string>& flags) {
    const Request request = toy_request(out, flags);
    run_sweep(request, toy_tables, product(request.config), {.derived = derived}, toy_cell);
  };
  run({});
  const std::string page = read_file(out / "runs.md");
  CHECK(page == "of " + read_file(out / "runs.csv"));
  const auto written = fs::last_write_time(out / "runs.md");
  run({"--resume"});
  CHECK(fs::last_write_time(out / "runs.md") == written);
  fs::remove(out / "runs.md");
  CHECK_THAT(complaint([&] { run({"--resume"}); }), ROOTDK_CONTAINS("has lost its runs.md"));
  run({"--overwrite"});
  CHECK(read_file(out / "runs.md") == page);
  CHECK(opening(toy_request(out, {"--overwrite"})) == "accepted");
  CHECK_FALSE(fs::exists(out / "runs.md"));
  write_file_atomically(out / "runs.md", "mine");
  CHECK_THAT(complaint([&] { run({"--resume"}); }), ROOTDK_CONTAINS("runs.md is not of the run"));
}

TEST_CASE("A cell without its side files or with the part of another is computed again",
          "[harness]") {
  const TemporaryFolder folder;
  run_toy(toy_request(folder / "whole"));
  const fs::path out = folder / "run";
  run_toy_halfway(out);
  fs::remove(out / "weights/run_1.npy");
  fs::copy_file(out / "parts/cell_000004", out / "parts/cell_000000",
                fs::copy_options::overwrite_existing);
  CHECK(resume_toy(out) == std::vector<std::size_t>{0, 1, 5, 6, 7, 8, 9, 10, 11});
  CHECK(contents(out) == contents(folder / "whole"));
}

TEST_CASE("Side files stay below the run directory", "[harness]") {
  const TemporaryFolder folder;
  const RunDirectory directory(toy_request(folder / "run"), toy_tables);
  directory.write_file("weights/../weights/a.npy", "bytes");
  CHECK(read_file(folder / "run/weights/a.npy") == "bytes");
  for (const char* path : {"", ".", "..", "../a", "a/../../b", "/tmp/a", "a/", "a\nb"}) {
    INFO(path);
    CHECK_THROWS_AS(directory.write_file(path, "bytes"), std::logic_error);
  }
}

}  // namespace
}  // namespace rootdk::harness
