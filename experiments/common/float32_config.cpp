#include "common/float32_config.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "common/schema_keys.hpp"
#include "rootdk/harness/number_text.hpp"

namespace rootdk {
namespace {

// Conversion of a double beyond the floats is undefined in C++: IEEE 754 rounds it to infinity.
float rounded_to_float(double value) {
  constexpr double beyond =
      0x1.ffffffp127;  // halfway from the largest float to 2^128, ties to even
  constexpr float infinity = std::numeric_limits<float>::infinity();
  if (std::fabs(value) >= beyond) return value > 0 ? infinity : -infinity;
  return static_cast<float>(value);
}

bool is_kept(double value, const harness::Range& range) {
  const float rounded = rounded_to_float(value);
  return std::isfinite(rounded) && (rounded != 0 || value == 0) && range.contains(rounded);
}

}  // namespace

void expect_float32_holds(const harness::Config& config) {
  if (!is_float32(config)) return;
  for (const harness::Key& key : config.keys()) {
    if (key.kind != harness::Kind::real && key.kind != harness::Kind::word_or_real) continue;
    for (const std::string& text : config.words(key.name)) {
      const std::optional<double> value = harness::parse_real(text);  // else a word
      if (!value || is_kept(*value, key.range)) continue;
      throw config.error(key.name, key.name + " = " + text + " rounds to " +
                                       harness::number_text(rounded_to_float(*value)) +
                                       " in float32: take another number, or --dtype float64");
    }
  }
}

}  // namespace rootdk
