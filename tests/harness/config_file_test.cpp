#include <filesystem>
#include <sys/stat.h>

#include "catch.hpp"
#include "support/temporary_folder.hpp"
#include "toy_experiment.hpp"

namespace rootdk::harness {
namespace {

struct BadFile {
  std::string document;
  std::string sentence;
};

const std::vector<BadFile> bad_files = {
    {"steps = 5.0", "a.toml:1: steps must be an integer >= 0, found 5.0"},
    {"\n\nsteps = -1", "a.toml:3: steps must be an integer >= 0, found -1"},
    {"steps = \"5\"", "a.toml:1: steps must be an integer >= 0, found \"5\""},
    {"steps = true", "a.toml:1: steps must be an integer >= 0, found true"},
    {"steps = 2026-11-29", "a.toml:1: steps must be an integer >= 0, found 2026-11-29"},
    {"steps = [5]",
     "a.toml:1: steps must be an integer >= 0, found a list of 1; this key holds one value"},
    {"d_k = [8,\n  8.5]", "a.toml:2: d_k must be an integer in [1, 4096], found 8.5"},
    {"d_k = 5000", "a.toml:1: d_k must be an integer in [1, 4096], found 5000"},
    {"d_k = []", "a.toml:1: d_k is an empty list; it needs a value"},
    {"d_k = [8, 16, 8]", "a.toml:1: d_k repeats the value 8; a list holds each value once"},
    {"lr = [1, 0.5, 1.0]", "a.toml:1: lr repeats the value 1; a list holds each value once"},
    {"lr = [\"0,5\"]", "a.toml:1: lr must be a finite number > 0, found \"0,5\""},
    {"lr = 0", "a.toml:1: lr must be a finite number > 0, found 0"},
    {"lr = nan", "a.toml:1: lr must be a finite number > 0, found nan"},
    {"lr = +inf", "a.toml:1: lr must be a finite number > 0, found +inf"},
    {"lr = 1e-400", "a.toml:1: lr must be a finite number > 0, found 1e-400"},
    {"momentum = 1e-400", "a.toml:1: momentum must be a finite number in [0, 1), found 1e-400"},
    {"momentum = 1.0", "a.toml:1: momentum must be a finite number in [0, 1), found 1.0"},
    {"task = \"Lookup\"", "a.toml:1: task must be one of lookup, successor, found \"Lookup\""},
    {"task = 1", "a.toml:1: task must be one of lookup, successor, found 1"},
    {"scale = \"0.5\"",
     "a.toml:1: scale must be one of none, inv_sqrt_dk, or a finite number, found \"0.5\""},
    {"scale = [0.5, nan]",
     "a.toml:1: scale must be one of none, inv_sqrt_dk, or a finite number, found nan"},
    {"seed = -1", "a.toml:1: seed must be an integer from 0 to 18446744073709551615, found -1"},
    {"seed = \"1\"",
     "a.toml:1: seed must be an integer from 0 to 18446744073709551615, found \"1\""},
    {"causal = 1", "a.toml:1: causal must be true or false, found 1"},
    {"d-output = 3", "a.toml:1: d-output must be text, found 3"},
    {"\xC3\xA9 = 1", "a.toml:1: \xC3\xA9 = 1 is not TOML"},
    {"stesp = 3", "a.toml:1: unknown key stesp; did you mean steps?"},
    {"d-k = 3", "a.toml:1: unknown key d-k; did you mean d_k?"},
    {"walrus_colour = 3", "a.toml:1: unknown key walrus_colour; --help lists them all"},
    {"threads = 3",
     "a.toml:1: threads says how to run, not what; give it as --threads on the command line"},
    {"dry-run = true", "a.toml:1: dry-run says how to run"},
    {"seed.x = 3", "a.toml:1: seed.x = 3 makes seed a table"},
    {"lr = 1\n[steps]\nvalue = 5", "a.toml:2: [steps] makes steps a table"},
    {"[[steps]]\nvalue = 5", "a.toml:1: [[steps]] makes steps a table"},
    {"steps = {value = 5}", "a.toml:1: steps = {value = 5} makes steps a table"},
    {"d_k = [[8]]", "a.toml:1: d_k holds [8] inside its list; a list holds plain values only"},
    {"lr = 1\nsteps = 1\nlr = 2", "a.toml:3: lr = 2 is not TOML"},
    {"steps = 010", "a.toml:1: steps = 010 is not TOML"},
    {"lr = 1e400", "a.toml:1: lr = 1e400 is not TOML"},
    {"lr = 0,5", "a.toml:1: lr = 0,5 is not TOML"},
    {"task = lookup", "a.toml:1: task = lookup is not TOML"},
    {"d_k = [8, 16", "a.toml:1: d_k = [8, 16 is not TOML"},
    {"task = \"\xFF\"", "a.toml:1: "},
    {"seed = 18446744073709551615",
     "the integers of a TOML file end at 9223372036854775807, a larger"
     " seed is written in quotes or given as a flag"},
};

TEST_CASE("A wrong config file is refused in one sentence that says where and what", "[harness]") {
  for (const BadFile& bad : bad_files) {
    INFO(bad.document);
    const std::string sentence = complaint([&] { toy_config(bad.document); });
    CHECK_THAT(sentence, ROOTDK_CONTAINS(bad.sentence));
    CHECK(sentence.find('\n') == std::string::npos);
  }
}

TEST_CASE("What the file says is checked even where a flag replaces it", "[harness]") {
  CHECK_THAT(complaint([] {
               toy_config("steps = 5.0", {"--steps", "5"});
             }),
             ROOTDK_CONTAINS("a.toml:1: steps"));
}

TEST_CASE("Of several errors the first in the file is reported", "[harness]") {
  CHECK_THAT(complaint([] { toy_config("zzz = 1\naaa = 1"); }), ROOTDK_CONTAINS("a.toml:1"));
}

TEST_CASE("The example files are refused or accepted as their names say", "[harness]") {
  int files = 0;
  const std::filesystem::path folder = ROOTDK_SOURCE_DIR "/tests/data/toml";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string path = entry.path().string();
    const bool good = entry.path().filename().string().starts_with("ok_");
    const std::string sentence = complaint([&] { read_request(toy_spec(), {"--config", path}); });
    INFO(path << ": " << sentence);
    CHECK((sentence == "accepted") == good);
    if (!good) CHECK(sentence.starts_with(path + ":"));
    ++files;
  }
  CHECK(files >= 10);
}

TEST_CASE("A config file that cannot be read is named", "[harness]") {
  const auto read = [](const std::string& path) {
    return complaint([&] { read_request(toy_spec(), {"--config", path}); });
  };
  CHECK(read("/no/such.toml") == "--config: there is no file /no/such.toml");
  CHECK(read("/tmp") == "--config: /tmp is no file");
  CHECK(read("/proc/self/mem") == "--config: /proc/self/mem cannot be read");
  const TemporaryFolder folder;
  const std::string pipe = (folder / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(read(pipe) == "--config: " + pipe + " is no file");  // and waits for nobody to write it
  CHECK_THAT(read(""), ROOTDK_CONTAINS("--config"));
}

}  // namespace
}  // namespace rootdk::harness
