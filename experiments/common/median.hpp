#pragma once
#include <algorithm>
#include <vector>

#include "rootdk/probes/gradient_statistics.hpp"

namespace rootdk {

// The middle one, or the mean of the two in the middle; of at least one.
inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return probes::quantile(values, 0.5);
}

}  // namespace rootdk
