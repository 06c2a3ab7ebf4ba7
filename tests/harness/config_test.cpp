#include "catch.hpp"
#include "toy_experiment.hpp"

namespace rootdk::harness {
namespace {

using Words = std::vector<std::string>;

TEST_CASE("Values are kept as canonical text whatever they were written as", "[harness]") {
  const Config config = toy_config(
      "d_k = [0x10, 1_000, 8]\nlr = [1, 0.50, 1e-5, 1_0.0]\nscale = [\"none\", 1.0, -0.5]\n"
      "momentum = -0.0\nseed = \"18446744073709551615\"");
  CHECK(config.words("d_k") == Words{"16", "1000", "8"});
  CHECK(config.integers("d_k") == std::vector<std::int64_t>{16, 1000, 8});
  CHECK(config.words("lr") == Words{"1", "0.5", "1e-05", "10"});
  CHECK(config.reals("lr") == std::vector<double>{1, 0.5, 1e-5, 10});
  CHECK(config.words("scale") == Words{"none", "1", "-0.5"});
  CHECK(config.word("momentum") == "0");
  CHECK(config.unsigned_integer("seed") == 18446744073709551615ULL);
}

TEST_CASE("A byte order mark or CRLF or a comment or a missing last newline changes nothing",
          "[harness]") {
  const std::string plain = toy_config("d_k = [8]\nlr = 0.5\n").toml();
  CHECK(toy_config("\xEF\xBB\xBF"
                   "d_k = [8]\nlr = 0.5\n")
            .toml() == plain);
  CHECK(toy_config("d_k = [8]\r\nlr = 0.5\r\n").toml() == plain);
  CHECK(toy_config("d_k = [8]\nlr = 0.5").toml() == plain);
  CHECK(toy_config("d_k = [8]\nlr = 0.5 # of sgd\n").toml() == plain);
  CHECK(toy_config("# gr\xC3\xB6\xC3\x9F\x65 \xE3\x81\x93\nd_k = [8]\nlr = 0.5\n").toml() == plain);
}

TEST_CASE("A flag beats the file and the file beats the default and each says where it came from",
          "[harness]") {
  const Config config = toy_config("d_k = [8]\n\nlr = [0.5, 0.25]", {"--lr", "2,3"});
  CHECK(config.reals("lr") == std::vector<double>{2, 3});
  CHECK(config.origin("lr") == "--lr");
  CHECK(config.integer("d_k") == 8);
  CHECK(config.origin("d_k") == "a.toml:1");
  CHECK(config.integer("steps") == 5);
  CHECK(config.origin("steps") == "default of steps");
  CHECK(std::string(config.error("d_k", "d_k is too small for 7 keys").what()) ==
        "a.toml:1: d_k is too small for 7 keys");
}

TEST_CASE("config.toml read back is the same configuration whatever it holds", "[harness]") {
  const std::vector<Words> command_lines = {
      {},
      {"--seed", "18446744073709551615,0,9223372036854775807,9223372036854775808"},
      {"--lr", "12345678901234567000,1e22,5e-324,1.7976931348623157e308,0.1,123456789"},
      {"--scale=-0.5,none,1,1e-300"},
      {"--d-output", "a \"b\"\\c,\td\n\x7F\xC3\xA9 # e"},
      {"--causal", "--steps", "9223372036854775807"},
  };
  for (const Words& flags : command_lines) {
    const Config config = toy_config("", flags);
    const Config again = toy_config(config.toml());
    INFO(config.toml());
    CHECK(first_difference(config, again) == "");
    CHECK(again.toml() == config.toml());
  }
}

TEST_CASE("config.toml holds every key with its help and no execution flag", "[harness]") {
  const std::string text = toy_config("", {"--threads", "3", "--quiet"}).toml();
  for (const Key& key : toy_spec().keys) {
    CHECK_THAT(text, ROOTDK_CONTAINS("\n# " + key.help));
    CHECK_THAT(text, ROOTDK_CONTAINS("\n" + key.name + " = "));
  }
  for (const Key& flag : fixed_flags()) {
    CHECK(text.find("\n" + flag.name + " = ") == std::string::npos);
  }
}

TEST_CASE("Two configurations differ in the key that differs and not in how they are run",
          "[harness]") {
  const Config config = toy_config("");
  CHECK(first_difference(config, toy_config("", {"--threads", "3", "--out", "x"})) == "");
  CHECK(first_difference(config, toy_config("lr = [1.0]\nsteps = 6")) == "steps");
  CHECK(first_difference(config, toy_config("d_k = [64, 16]")) == "d_k");
}

TEST_CASE("Reading a key in the wrong way is a mistake of the program", "[harness]") {
  const Config config = toy_config("");
  CHECK_THROWS_AS(config.integer("lr"), std::logic_error);
  CHECK_THROWS_AS(config.integer("d_k"), std::logic_error);  // holds two
  CHECK_THROWS_AS(config.word("walrus"), std::logic_error);
}

TEST_CASE("The defaults of a schema pass its own checks", "[harness]") {
  const std::vector<Key> keys = {Key{.name = "n", .defaults = {"0"}, .range = at_least(1)}};
  CHECK(complaint([&] { Config("toy", keys, {}, {}); }) ==
        "default of n: n must be an integer >= 1, found 0");
}

TEST_CASE("A guess is close to what was written or not made", "[harness]") {
  CHECK(nearest("batchsize", {"steps", "batch_size"}) == "batch_size");
  CHECK(nearest("BATCHSIZE", {"steps", "batch_size"}) == "batch_size");
  CHECK(nearest("Steps", {"step", "steps"}) == "steps");
  CHECK(nearest("xyz", {"steps", "batch_size"}) == "");
}

}  // namespace
}  // namespace rootdk::harness
