#include <thread>

#include "catch.hpp"
#include "toy_experiment.hpp"

namespace rootdk::harness {
namespace {

using Words = std::vector<std::string>;

struct BadCommandLine {
  Words arguments;
  std::string sentence;
};

const std::vector<BadCommandLine> bad_command_lines = {
    {{"--stesp", "3"}, "unknown flag --stesp; did you mean --steps? --help lists them all"},
    {{"--walrus=3"}, "unknown flag --walrus; --help lists them all"},
    {{"-q"}, "unknown flag -q"},
    {{"lookup"}, "unexpected argument lookup"},
    {{"--d_k", "16", "64"}, "unexpected argument 64"},
    {{"--d_k", "16", "--d_k", "64"}, "--d_k is given twice; a list is one word, as in a,b,c"},
    {{"--steps", "1", "--steps", "1"}, "--steps is given twice"},
    {{"--steps"}, "--steps needs a value"},
    {{"--steps="}, "--steps: steps must be an integer >= 0, found nothing"},
    {{"--out", "--quiet"}, "--out needs a value, found the flag --quiet"},
    {{"--out", ""}, "--out"},
    {{"--steps", "5.0"}, "--steps: steps must be an integer >= 0, found 5.0"},
    {{"--steps", "010"}, "found 010"},
    {{"--steps", "0x10"}, "found 0x10"},
    {{"--steps", "1_000"}, "found 1_000"},
    {{"--steps", "+5"}, "found +5"},
    {{"--steps", " 5"}, "found  5"},
    {{"--steps", "9223372036854775808"}, "found 9223372036854775808"},
    {{"--steps", "1,2"}, "found a list of 2; this key holds one value"},
    {{"--momentum", "0,5"}, "found a list of 2; this key holds one value"},
    {{"--d_k", "16,,64"}, "--d_k: d_k must be an integer in [1, 4096], found nothing"},
    {{"--d_k", "16,"}, "found nothing"},
    {{"--d_k", "[16,64]"}, "found [16"},
    {{"--lr", "1,1.0"}, "--lr: lr repeats the value 1"},
    {{"--lr", "nan"}, "found nan"},
    {{"--lr", "inf"}, "found inf"},
    {{"--lr", "1e400"}, "found 1e400"},
    {{"--lr", "0x1p-1"}, "found 0x1p-1"},
    {{"--lr", "0.1abc"}, "found 0.1abc"},
    {{"--scale", "-inf"}, "found -inf"},
    {{"--scale", "half"}, "--scale: scale must be one of none, inv_sqrt_dk, or a finite number"},
    {{"--seed", "-1"}, "found -1"},
    {{"--seed", "18446744073709551616"}, "found 18446744073709551616"},
    {{"--threads", "0"}, "--threads: threads must be an integer in [1, 1024], found 0"},
    {{"--quiet", "maybe"}, "--quiet: quiet must be true or false, found maybe"},
    {{"--resume", "--overwrite"}, "give one of them"},
};

TEST_CASE("A wrong command line is refused in one sentence that names the flag", "[harness]") {
  for (const BadCommandLine& bad : bad_command_lines) {
    INFO(bad.sentence);
    const std::string sentence = complaint([&] { read_request(toy_spec(), bad.arguments); });
    CHECK_THAT(sentence, ROOTDK_CONTAINS(bad.sentence));
    CHECK(sentence.find('\n') == std::string::npos);
  }
}

TEST_CASE("Flags are understood however they are spelled", "[harness]") {
  const Words arguments = {"--d_k=8,16", "--scale",    "-0.5",
                           "--causal",   "--d-output", "a,b.npy",
                           "--quiet",    "--seed",     "18446744073709551615"};
  const Request request = read_request(toy_spec(), arguments);
  CHECK(request.config.integers("d_k") == std::vector<std::int64_t>{8, 16});
  CHECK(request.config.word("scale") == "-0.5");
  CHECK(request.config.boolean("causal"));
  CHECK(request.config.word("d-output") == "a,b.npy");
  CHECK(request.config.unsigned_integer("seed") == 18446744073709551615ULL);
  CHECK(request.quiet);
  CHECK_FALSE(read_request(toy_spec(), {"--causal=false"}).config.boolean("causal"));
  CHECK_FALSE(read_request(toy_spec(), {"--causal", "false"}).config.boolean("causal"));
}

TEST_CASE("The output folder is --out or else named after the config or the experiment",
          "[harness]") {
  const std::string file = ROOTDK_SOURCE_DIR "/tests/data/toml/ok_crlf.toml";
  CHECK(read_request(toy_spec(), {}).out == "runs/toy");
  CHECK(read_request(toy_spec(), {"--config", file}).out == "runs/ok_crlf");
  CHECK(read_request(toy_spec(), {"--config", file, "--out", "x/y"}).out == "x/y");
}

TEST_CASE("Without --threads a run uses the whole machine", "[harness]") {
  const unsigned all = std::max(1U, std::thread::hardware_concurrency());
  CHECK(read_request(toy_spec(), {}).threads == static_cast<int>(all));
  CHECK(read_request(toy_spec(), {"--threads", "3"}).threads == 3);
}

}  // namespace
}  // namespace rootdk::harness
