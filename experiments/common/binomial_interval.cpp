#include "common/binomial_interval.hpp"

#include <boost/math/special_functions/beta.hpp>
#include <stdexcept>

namespace rootdk {

Interval clopper_pearson(std::int64_t successes, std::int64_t trials, double confidence) {
  if (trials < 1 || successes < 0 || successes > trials) {
    throw std::invalid_argument("clopper_pearson: successes must lie between 0 and trials >= 1");
  }
  const double tail = (1 - confidence) / 2;
  const auto x = static_cast<double>(successes), n = static_cast<double>(trials);
  Interval interval;
  if (successes > 0) interval.low = boost::math::ibeta_inv(x, n - x + 1, tail);
  if (successes < trials) interval.high = boost::math::ibetac_inv(x + 1, n - x, tail);
  return interval;
}

}  // namespace rootdk
