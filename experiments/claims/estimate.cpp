#include "claims/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "common/binomial_interval.hpp"
#include "common/quantiles.hpp"
#include "rootdk/random.hpp"

namespace rootdk::claims {
namespace {

constexpr double tail_95 = 0.025;
constexpr double tail_4se = 3.1671241833119924e-5;  // P(N(0, 1) > 4)

struct Moments {
  double mean = 0, m2 = 0, m4 = 0;  // central
  double count = 0;
};

// Two passes, which do not cancel.
Moments moments_of(std::span<const double> values) {
  Moments result;
  result.count = static_cast<double>(values.size());
  for (const double x : values) result.mean += x;
  result.mean /= result.count;
  for (const double x : values) {
    const double square = (x - result.mean) * (x - result.mean);
    result.m2 += square;
    result.m4 += square * square;
  }
  result.m2 /= result.count;
  result.m4 /= result.count;
  return result;
}

double error_of_mean(const Moments& moments) { return std::sqrt(moments.m2 / (moments.count - 1)); }

}  // namespace

Estimate exact(double value) { return {value, value, value, value, value}; }

Estimate with_error(double value, double standard_error) {
  const double z = normal_quantile(1 - tail_95);
  return {value, value - z * standard_error, value + z * standard_error, value - 4 * standard_error,
          value + 4 * standard_error};
}

Estimate mean_of(std::span<const double> values) {
  const Moments moments = moments_of(values);
  return with_error(moments.mean, error_of_mean(moments));
}

Estimate variance_of(std::span<const double> values) {
  const Moments moments = moments_of(values);
  const double unbiased = moments.m2 * moments.count / (moments.count - 1);
  return with_error(unbiased, std::sqrt((moments.m4 - moments.m2 * moments.m2) / moments.count));
}

Estimate rms_of(std::span<const double> values) {
  std::vector<double> squares(values.begin(), values.end());
  for (double& x : squares) x *= x;
  const Moments moments = moments_of(squares);
  const double rms = std::sqrt(moments.mean);
  return with_error(rms, error_of_mean(moments) / (2 * rms));
}

Estimate median_of(std::span<double> values) {
  std::sort(values.begin(), values.end());
  const auto last = static_cast<double>(values.size()) - 1;
  const auto at = [&](double rank) {
    return values[static_cast<std::size_t>(std::clamp(rank, 0.0, last))];
  };
  const double middle = last / 2, half = std::sqrt(static_cast<double>(values.size())) / 2;
  const double z = normal_quantile(1 - tail_95);
  return {(at(std::floor(middle)) + at(std::ceil(middle))) / 2, at(std::floor(middle - z * half)),
          at(std::ceil(middle + z * half)), at(std::floor(middle - 4 * half)),
          at(std::ceil(middle + 4 * half))};
}

Estimate share_of(std::int64_t count, std::int64_t total) {
  const Interval shown = clopper_pearson(count, total, 1 - 2 * tail_95);
  const Interval wide = clopper_pearson(count, total, 1 - 2 * tail_4se);
  return {static_cast<double>(count) / static_cast<double>(total), shown.low, shown.high, wide.low,
          wide.high};
}

Estimate mean_of_trainings(std::span<const double> values) {
  if (values.size() < 2) {
    const double infinity = std::numeric_limits<double>::infinity();
    return {values[0], -infinity, infinity, values[0], values[0]};
  }
  const Moments moments = moments_of(values);
  const double error = error_of_mean(moments);
  const double t = students_t_two_sided(moments.count - 1, 2 * tail_95);
  Estimate result = with_error(moments.mean, error);
  result.ci_low = moments.mean - t * error;
  result.ci_high = moments.mean + t * error;
  return result;
}

Estimate ratio_of(const Estimate& numerator, const Estimate& denominator) {
  const auto relative_error = [](const Estimate& estimate) {
    return (estimate.high_4se - estimate.low_4se) / (8 * estimate.value);
  };
  const double ratio = numerator.value / denominator.value;
  const double a = relative_error(numerator), b = relative_error(denominator);
  return with_error(ratio, std::abs(ratio) * std::sqrt(a * a + b * b));
}

Estimate scaled(const Estimate& estimate, double factor) {
  return {factor * estimate.value, factor * estimate.ci_low, factor * estimate.ci_high,
          factor * estimate.low_4se, factor * estimate.high_4se};
}

}  // namespace rootdk::claims
