#pragma once
#include <cstdint>

namespace rootdk {

struct Interval {
  double low = 0;
  double high = 1;
};

// The interval of Clopper and Pearson (Biometrika 26, 1934) for the probability behind `successes`
// out of `trials`: it covers the truth with at least this confidence, however few the trials. Its
// ends are quantiles of beta distributions,
//   low  = B(a/2; x, n - x + 1), 0 when x = 0       high = B(1 - a/2; x + 1, n - x), 1 when x = n
// with a = 1 - confidence, 0 < confidence < 1. Throws std::invalid_argument unless
// 0 <= successes <= trials and trials >= 1.
Interval clopper_pearson(std::int64_t successes, std::int64_t trials, double confidence = 0.95);

}  // namespace rootdk
