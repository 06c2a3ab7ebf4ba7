#include "common/binomial_interval.hpp"

#include <stdexcept>

#include "common/quantiles.hpp"

namespace rootdk {

Interval clopper_pearson(std::int64_t successes, std::int64_t trials, double confidence) {
  if (trials < 1 || successes < 0 || successes > trials) {
    throw std::invalid_argument("clopper_pearson: successes must lie between 0 and trials >= 1");
  }
  const double tail = (1 - confidence) / 2;
  const auto x = static_cast<double>(successes), n = static_cast<double>(trials);
  Interval interval;
  if (successes > 0) interval.low = beta_quantile(x, n - x + 1, tail);
  if (successes < trials) interval.high = beta_quantile_from_above(x + 1, n - x, tail);
  return interval;
}

}  // namespace rootdk
