// Any bytes as a config file: accepted, or refused with a RequestError. What is accepted is written as
// config.toml, and reads back as the same configuration.
#include "fuzz.hpp"
#include "harness/toy_experiment.hpp"

using namespace rootdk::harness;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::vector<Key> keys = toy_spec().keys;
  try {
    const Config config("toy", keys, parse_toml(text_of(data, size), "a.toml"), {});
    const Config again("toy", keys, parse_toml(config.toml(), "config.toml"), {});
    expect(first_difference(config, again).empty());
  } catch (const RequestError& error) {
    expect_one_sentence(error.what());
  }
  return 0;
}
