#include <sys/wait.h>
#include <unistd.h>

#include "catch.hpp"
#include "support/temporary_folder.hpp"
#include "toy_sweep.hpp"

namespace rootdk::harness {
namespace {

namespace fs = std::filesystem;

TEST_CASE("A fresh run makes its folder and parents and leaves exactly its files", "[harness]") {
  const TemporaryFolder folder;
  const fs::path out = folder / "deep/er/run";
  run_toy(toy_request(out));
  const auto files = contents(out);
  CHECK(files.size() == 3 + 12);  // config.toml, two tables, weights
  CHECK(files.count("config.toml") == 1);
  CHECK(files.at("runs.csv").starts_with("run,scale,d_k,lr,loss\n0,none,16,0.1,0.00625\n"));
  CHECK(files.at("steps.csv").starts_with("run,step,loss\n0,0,0.0625\n0,1,0.05882353\n"));
  const std::string meta = read_file(out / "meta.json");
  CHECK_THAT(meta, ROOTDK_CONTAINS("\"compiler\": \"a \\\"good\\\" one\""));
  for (const char* fact : {"experiment", "version", "host", "started", "finished"}) {
    CHECK_THAT(meta, ROOTDK_CONTAINS(std::string(fact) + "\": \""));
  }
}

TEST_CASE("config.toml of a run gives the same bytes when run again", "[harness]") {
  const TemporaryFolder folder;
  run_toy(toy_request(folder / "a"));
  const std::string config = (folder / "a/config.toml").string();
  run_toy(
      read_request(toy_spec(), {"--quiet", "--config", config, "--out", (folder / "b").string()}));
  CHECK(contents(folder / "a") == contents(folder / "b"));
}

TEST_CASE("A folder in the way is refused and left as it was", "[harness]") {
  const TemporaryFolder folder;
  fs::create_directories(folder / "full");
  write_file_atomically(folder / "full/notes.txt", "mine");
  write_file_atomically(folder / "foreign/config.toml", "# rootdk toyish\n");
  write_file_atomically(folder / "file", "mine");
  fs::create_symlink("nothing", folder / "link");
  for (const char* flag : {"--quiet=true", "--resume", "--overwrite"}) {
    const auto request = [&](const std::string& name) {
      return toy_request(folder / name, {flag == std::string("--quiet=true") ? "--causal" : flag});
    };
    INFO(flag);
    CHECK_THAT(opening(request("full")), ROOTDK_CONTAINS("something else than a run of toy"));
    CHECK_THAT(opening(request("foreign")), ROOTDK_CONTAINS("something else than a run of toy"));
    CHECK_THAT(opening(request("file")), ROOTDK_CONTAINS("is a file"));
    CHECK_THAT(opening(request("link")),
               ROOTDK_CONTAINS("is a link to nothing, which does not exist"));
    CHECK_THAT(opening(request("file/below")), ROOTDK_CONTAINS("cannot be made"));
    CHECK_THAT(opening(request("new/" + std::string(300, 'a'))), ROOTDK_CONTAINS("cannot be made"));
    CHECK_FALSE(fs::exists(folder / "new"));
  }
  CHECK(fs::exists(folder / "full/notes.txt"));
  CHECK_FALSE(fs::exists(folder / "full/.lock"));
  CHECK_FALSE(fs::exists(folder / "foreign/.lock"));
}

TEST_CASE("A run already there is refused or resumed or overwritten as asked", "[harness]") {
  const TemporaryFolder folder;
  const fs::path out = folder / "run";
  run_toy(toy_request(out));
  const auto before = contents(out);
  const std::string meta = read_file(out / "meta.json");

  CHECK_THAT(opening(toy_request(out)), ROOTDK_CONTAINS("--resume"));
  int calls = 0;
  run_toy(toy_request(out, {"--resume"}), [&](const CellPoint&, CellOutput&) { ++calls; });
  CHECK(calls == 0);
  CHECK(contents(out) == before);
  CHECK(read_file(out / "meta.json") == meta);

  for (const char* mine : {"notes.txt", "mine.csv", "plot.png"}) {
    write_file_atomically(out / mine, "mine");
  }
  run_toy(toy_request(out, {"--overwrite", "--scale", "none", "--steps", "7"}));
  const auto after = contents(out);
  CHECK(after.count("weights/run_5.npy") == 1);
  CHECK(after.count("weights/run_6.npy") == 0);  // of the larger run before
  for (const char* mine : {"notes.txt", "mine.csv", "plot.png"}) CHECK(after.count(mine) == 1);
  CHECK_THAT(after.at("config.toml"), ROOTDK_CONTAINS("steps = 7"));
}

TEST_CASE("Resuming a finished run only reads it, so that its folder may be read-only",
          "[harness]") {
  const TemporaryFolder folder;
  const fs::path out = folder / "run";
  run_toy(toy_request(out));
  fs::remove(out / ".lock");
  const auto before = fs::last_write_time(out);
  run_toy(toy_request(out, {"--resume"}));
  CHECK_FALSE(fs::exists(out / ".lock"));
  CHECK(fs::last_write_time(out) == before);
}

TEST_CASE("A run of another configuration is not resumed and the key that differs is named",
          "[harness]") {
  const TemporaryFolder folder;
  run_toy(toy_request(folder / "run"));
  const auto before = contents(folder / "run");
  const std::string sentence = opening(toy_request(folder / "run", {"--resume", "--steps", "6"}));
  CHECK_THAT(sentence, ROOTDK_CONTAINS("has steps = 5, this configuration 6 (--steps)"));
  CHECK(opening(toy_request(folder / "run", {"--resume", "--threads", "2"})) == "accepted");
  CHECK(contents(folder / "run") == before);
}

TEST_CASE("Resuming a missing or empty or barely started folder starts it", "[harness]") {
  const TemporaryFolder folder;
  run_toy(toy_request(folder / "whole"));
  fs::create_directories(folder / "empty");
  write_file_atomically(folder / "locked/.lock", "");
  write_file_atomically(folder / "killed/config.toml.tmp", "# roo");
  write_file_atomically(folder / "killed/.lock", "");
  write_file_atomically(folder / "begun/config.toml", read_file(folder / "whole/config.toml"));
  for (const char* name : {"missing", "empty", "locked", "killed", "begun"}) {
    INFO(name);
    run_toy(toy_request(folder / name, {"--resume"}));
    CHECK(contents(folder / name) == contents(folder / "whole"));
  }
}

TEST_CASE("A folder holding nothing but a lock counts as empty", "[harness]") {
  const TemporaryFolder folder;
  write_file_atomically(folder / "run/.lock", "");
  CHECK(opening(toy_request(folder / "run")) == "accepted");
}

TEST_CASE("A second process is refused while the first holds the folder", "[harness]") {
  const TemporaryFolder folder;
  const Request request = toy_request(folder / "run", {"--resume"});
  int ready[2];
  int done[2];
  REQUIRE(::pipe(ready) == 0);
  REQUIRE(::pipe(done) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(done[1]);  // so that the parent's end is the only one
    char byte = 'x';
    const RunDirectory held(request, toy_tables);
    const bool told = ::write(ready[1], &byte, 1) == 1;
    ::_exit(told && ::read(done[0], &byte, 1) == 0 ? 0 : 1);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK_THAT(opening(request), ROOTDK_CONTAINS("in use by another process"));
  ::close(done[1]);
  int status = 1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(opening(request) == "accepted");  // the lock went with its process
  for (const int end : {ready[0], ready[1], done[0]}) ::close(end);
}

TEST_CASE("A run killed at any step of its end is finished by resuming it", "[harness]") {
  const TemporaryFolder folder;
  const fs::path out = folder / "run";
  run_toy(toy_request(out));
  const auto whole = contents(out);
  // The parts, from a sweep that stops before joining them.
  {
    const Request request = toy_request(folder / "parts");
    const RunDirectory directory(request, toy_tables, toy_facts);
    SweepCounters counters;
    for (const CellPoint& point : product(request.config)) {
      CellOutput output(point, toy_tables, directory, counters, 0, 0);
      toy_cell(point, output);
      output.finish();
    }
  }
  const auto resumed = [&] {
    run_toy(toy_request(out, {"--resume"}),
            [](const CellPoint&, CellOutput&) { FAIL("a finished cell was computed again"); });
    return contents(out);
  };
  const auto bring_parts = [&] {
    fs::copy(folder / "parts/parts", out / "parts", fs::copy_options::recursive);
  };

  bring_parts();  // before the parts were removed
  CHECK(resumed() == whole);
  bring_parts();  // before meta.json
  fs::remove(out / "meta.json");
  CHECK(resumed() == whole);
  bring_parts();  // before the second table
  fs::remove(out / "meta.json");
  fs::remove(out / "steps.csv");
  write_file_atomically(out / "steps.csv.tmp", "run,st");
  CHECK(resumed() == whole);
}

TEST_CASE("A finished run that is killed while it is overwritten is computed again by resuming it",
          "[harness]") {
  const TemporaryFolder folder;
  const fs::path out = folder / "run";
  run_toy(toy_request(out));
  const auto whole = contents(out);
  fs::create_directories(out / "parts");  // what comes first
  fs::remove(out / "meta.json");
  fs::remove(out / "steps.csv");
  CHECK(resume_toy(out).size() == 12);
  CHECK(contents(out) == whole);
}

TEST_CASE("A part that is not whole counts as damaged and is not joined", "[harness]") {
  const TemporaryFolder folder;
  const Request request = toy_request(folder / "run");
  RunDirectory directory(request, {{"steps", {}, {"step"}}, {"runs", {}, {"loss"}}});
  directory.write_part(0, {"1\n2\n", "0.5\n"});
  const fs::path part = folder / "run/parts/cell_000000";
  const std::string whole = read_file(part);
  CHECK(directory.part_state(0) == PartState::whole);
  CHECK(directory.part_state(1) == PartState::missing);

  const auto state_of = [&](const std::string& bytes) {
    write_file_atomically(part, bytes);
    return directory.part_state(0);
  };
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    CHECK(state_of(whole.substr(0, bytes)) == PartState::damaged);
    std::string changed = whole;
    changed[bytes] = static_cast<char>(changed[bytes] ^ 1);
    CHECK(state_of(changed) == PartState::damaged);
  }
  CHECK(state_of(whole + "\n") == PartState::damaged);
  CHECK(state_of("steps 40\n1\n") == PartState::damaged);
  CHECK_THROWS_WITH(directory.finish(1), ROOTDK_CONTAINS("cell_000000 was damaged"));
  CHECK_FALSE(fs::exists(folder / "run/steps.csv"));
  CHECK_FALSE(fs::exists(folder / "run/meta.json"));
  directory.remove_part(0);
  CHECK(directory.part_state(0) == PartState::missing);
  directory.write_part(0, {"1\n2\n", "0.5\n"});
  directory.finish(1);
  CHECK(read_file(folder / "run/steps.csv") == "step\n1\n2\n");
}

TEST_CASE("Resuming computes a damaged cell again", "[harness]") {
  const TemporaryFolder folder;
  run_toy(toy_request(folder / "whole"));
  const fs::path out = folder / "run";
  run_toy_halfway(out);
  write_file_atomically(out / "parts/cell_000002", "runs 1000\n0.1\n");
  CHECK(resume_toy(out) == std::vector<std::size_t>{2, 5, 6, 7, 8, 9, 10, 11});
  CHECK(contents(out) == contents(folder / "whole"));
}

TEST_CASE("Resuming computes the cells of another build again", "[harness]") {
  const TemporaryFolder folder;
  const fs::path out = folder / "run";
  run_toy_halfway(out);
  const Request request = toy_request(out, {"--resume", "--threads", "1"});
  std::vector<std::size_t> computed;
  const auto body = [&](const CellPoint& point, CellOutput& output) {
    computed.push_back(point.number);
    if (point.number == 3) throw std::runtime_error("enough");
    toy_cell(point, output);
  };
  const SweepOptions other{.facts = {{"compiler", "a better one"}}};
  CHECK_THROWS(run_sweep(request, toy_tables, product(request.config), other, body));
  CHECK(computed == std::vector<std::size_t>{0, 1, 2, 3});
  CHECK(resume_toy(out).size() == 12);  // by the first build again: 0 to 2 are foreign to it
  CHECK_THAT(read_file(out / "meta.json"), ROOTDK_CONTAINS("good"));
}

}  // namespace
}  // namespace rootdk::harness
