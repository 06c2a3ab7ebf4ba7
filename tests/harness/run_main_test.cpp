#include <array>
#include <fstream>
#include <iostream>
#include <sstream>
#include <sys/stat.h>

#include "catch.hpp"
#include "rootdk/harness/version.hpp"
#include "support/temporary_folder.hpp"
#include "toy_sweep.hpp"

namespace rootdk::harness {
namespace {

// Collects what is written to a stream while it lives.
class Capture {
 public:
  explicit Capture(std::ostream& stream) : stream_(stream), old_(stream.rdbuf(text_.rdbuf())) {}
  ~Capture() { stream_.rdbuf(old_); }
  Capture(const Capture&) = delete;
  Capture& operator=(const Capture&) = delete;
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::ostream& stream_;
  std::streambuf* old_;
};

struct Outcome {
  int code;
  std::string out;
  std::string err;
};

Outcome toy_main(
    std::vector<const char*> arguments, const std::function<void(const Request&)>& body =
                                            [](const Request& request) { run_toy(request); }) {
  arguments.insert(arguments.begin(), "toy");
  const Capture out(std::cout);
  const Capture err(std::cerr);
  const int code = run_main(static_cast<int>(arguments.size()), arguments.data(), toy_spec(), body);
  return {code, out.text(), err.text()};
}

TEST_CASE("The exit code tells a wrong request from a failed run", "[harness]") {
  const Outcome request = toy_main({"--steps", "x"});
  CHECK(request.code == 2);
  CHECK(request.err == "toy: --steps: steps must be an integer >= 0, found x\n");
  CHECK(request.out.empty());

  const Outcome late = toy_main({}, [](const Request& r) { throw r.config.error("d_k", "odd"); });
  CHECK(late.code == 2);
  CHECK(late.err == "toy: default of d_k: odd\n");

  const Outcome failed = toy_main({}, [](const Request&) { throw std::runtime_error("no\nluck"); });
  CHECK(failed.code == 1);
  CHECK(failed.err == "toy: no luck\n");

  const Outcome memory = toy_main({}, [](const Request&) { throw std::bad_alloc(); });
  CHECK(memory.code == 1);
  CHECK(memory.err == "toy: out of memory\n");

  CHECK(toy_main({}, [](const Request&) {}).code == 0);
  const Outcome unheard =
      toy_main({}, [](const Request&) { std::cout.setstate(std::ios::badbit); });
  std::cout.clear();
  CHECK(unheard.code == 1);
  CHECK(unheard.err == "toy: the standard output cannot be written\n");
}

TEST_CASE("Help and version that cannot be written are a failure", "[harness]") {
  for (const char* flag : {"--help", "--version"}) {
    const Capture err(std::cerr);
    std::streambuf* const old = std::cout.rdbuf(nullptr);  // takes nothing, as a full disk
    const int code = run_main(2, std::array{"toy", flag}.data(), toy_spec(), [](const Request&) {});
    std::cout.rdbuf(old);
    CHECK(code == 1);
    CHECK(err.text() == "toy: the standard output cannot be written\n");
  }
}

TEST_CASE("A sentence is one line that does nothing to a terminal and can be read", "[harness]") {
  CHECK(std::string(RequestError("a\nb\t\x1B[2J\x7F").what()) == "a b\\x09\\x1B[2J\\x7F");
  CHECK(one_line(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(one_line("\u00E9 \u20AC \U0001F600 \xC3") == "\u00E9 \u20AC \U0001F600 \\xC3");
  CHECK(one_line("\u009B2J \u00A0") == "\\xC2\\x9B2J \u00A0");  // CSI in one character
  // Overlong, a surrogate, beyond the last character, a tail without a head.
  CHECK(one_line("\xC0\xAF") == "\\xC0\\xAF");
  CHECK(one_line("\xE0\x9F\xBF") == "\\xE0\\x9F\\xBF");
  CHECK(one_line("\xF0\x8F\xBF\xBF") == "\\xF0\\x8F\\xBF\\xBF");
  CHECK(one_line("\xED\xA0\x80") == "\\xED\\xA0\\x80");
  CHECK(one_line("\xF4\x90\x80\x80") == "\\xF4\\x90\\x80\\x80");
  CHECK(one_line("\xF5\x80\x80\x80\x80") == "\\xF5\\x80\\x80\\x80\\x80");
  CHECK(cut("short") == "short");
  CHECK(cut("\u00E9\u00E9\u00E9", 3) == "\u00E9...");  // two bytes each
  CHECK(cut("\xBF\xBF\xBF", 2) == "...");
}

TEST_CASE("A wrong request and a dry run create nothing", "[harness]") {
  const TemporaryFolder folder;
  const std::string out = (folder / "run").string();
  CHECK(toy_main({"--out", out.c_str(), "--lr", "nan"}).code == 2);
  const Outcome dry = toy_main({"--out", out.c_str(), "--dry-run", "--lr", "1,2,3"});
  CHECK(dry.code == 0);
  CHECK_THAT(dry.out, ROOTDK_CONTAINS("\nlr = [1.0, 2.0, 3.0]\n"));
  CHECK_THAT(dry.out, ROOTDK_CONTAINS("\n# cells: 12\n"));
  CHECK(std::filesystem::is_empty(folder.path()));
  // What a dry run prints is a config file.
  CHECK(toy_config(dry.out).words("lr").size() == 3);
}

TEST_CASE("A dry run refuses the folder that the run would refuse", "[harness]") {
  const TemporaryFolder folder;
  const std::string run = (folder / "run").string();
  const auto dry = [&](const std::string& out, const char* flag) {
    return toy_main({"--out", out.c_str(), "--dry-run", flag});
  };
  run_toy(read_request(toy_spec(), {"--quiet", "--out", run}));
  CHECK(dry(run, "--quiet").code == 0);
  CHECK(dry(run, "--resume").code == 0);
  CHECK(dry(run, "--overwrite").code == 0);
  CHECK(std::filesystem::exists(folder / "run/runs.csv"));
  std::filesystem::remove(folder / "run/runs.csv");
  CHECK_THAT(dry(run, "--resume").err, ROOTDK_CONTAINS("has lost its runs.csv"));

  const std::string pipe = (folder / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  write_file_atomically(folder / "full/notes.txt", "mine");
  for (const std::string& out : {pipe, pipe + "/below", (folder / "full").string()}) {
    INFO(out);
    const Outcome refused = dry(out, "--quiet");
    CHECK(refused.code == 2);
    CHECK(refused.out.empty());
    CHECK(refused.err == toy_main({"--out", out.c_str()}).err);
  }
}

TEST_CASE("Help shows every key with its default and what it allows", "[harness]") {
  const Outcome help = toy_main({"--steps", "x", "--help"});
  CHECK(help.code == 0);
  CHECK(help.err.empty());
  for (const std::vector<Key>& keys : {toy_spec().keys, fixed_flags()}) {
    for (const Key& key : keys) {
      CHECK_THAT(help.out, ROOTDK_CONTAINS("--" + key.name));
      CHECK_THAT(help.out, ROOTDK_CONTAINS(key.help));
    }
  }
  CHECK_THAT(help.out, ROOTDK_CONTAINS("an integer in [1, 4096]; default: 16,64"));
}

TEST_CASE("The version is that of the project", "[harness]") {
  CHECK(toy_main({"--version"}).out == "toy (rootdk) " + std::string(version) + "\n");
  const std::string cmake = read_file(ROOTDK_SOURCE_DIR "/CMakeLists.txt");
  CHECK_THAT(cmake, ROOTDK_CONTAINS("project(rootdk VERSION " + std::string(version) + " "));
}

TEST_CASE("Quiet is quiet and otherwise the end says where the results are", "[harness]") {
  const TemporaryFolder folder;
  const std::string a = (folder / "a").string();
  const std::string b = (folder / "b").string();
  CHECK(toy_main({"--out", a.c_str(), "--quiet"}).err.empty());
  CHECK(toy_main({"--out", b.c_str()}).err == "4 cells in " + b + "\n");
  const Outcome again = toy_main({"--out", b.c_str(), "--resume"});
  CHECK(again.code == 0);
  CHECK(again.err == b + " holds this run, finished; nothing to do\n");
  const Outcome refused = toy_main({"--out", b.c_str()});
  CHECK(refused.code == 2);
}

TEST_CASE("A terminal gets one line rewritten and a log nothing in its first seconds",
          "[harness]") {
  SweepCounters counters;
  counters.cells = 3;
  std::ostringstream terminal;
  {
    Progress progress(terminal, ProgressStyle::line, 12);
    progress.update(counters);
    counters.steps = 10;
    progress.update(counters);
    progress.say("done");
  }
  CHECK(terminal.str().starts_with("\r3 of 12 cells\x1b[K\r3 of 12 cells, "));
  CHECK(terminal.str().ends_with("\r\x1b[Kdone\n"));
  std::ostringstream log;
  Progress(log, ProgressStyle::log, 12).update(counters);
  CHECK(log.str().empty());
  CHECK(duration_text(12.4) == "12 s");
  CHECK(duration_text(187) == "3 min 07 s");
  CHECK(duration_text(3720) == "1 h 02 min");
}

}  // namespace
}  // namespace rootdk::harness
