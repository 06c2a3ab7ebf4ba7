#pragma once
// A measured number with what is known about its error.
#include <cstdint>
#include <span>

namespace rootdk::claims {

struct Estimate {
  double value = 0;
  double ci_low = 0, ci_high = 0;    // 95 % interval: what is shown
  double low_4se = 0, high_4se = 0;  // interval of 4 standard errors: what verdicts use
};

// A number that no chance enters: its intervals are itself.
Estimate exact(double value);
// Normal intervals about a value of known standard error.
Estimate with_error(double value, double standard_error);
// The mean of independent values. Normal intervals.
Estimate mean_of(std::span<const double> values);
// The variance of independent values about their own mean; its standard error comes from the fourth
// moment, sqrt((m4 - m2^2) / N).
Estimate variance_of(std::span<const double> values);
// sqrt(mean of squares), by the delta method.
Estimate rms_of(std::span<const double> values);
// The median of independent values, with order statistics as ends: the number of values below the
// median is binomial (N, 1/2), so they lie z sqrt(N) / 2 ranks on either side. Sorts.
Estimate median_of(std::span<double> values);
// count / total, with the intervals of Clopper and Pearson (Biometrika 26, 1934); the second at the
// level of 4 standard errors of a normal, 1 - 6.3e-5.
Estimate share_of(std::int64_t count, std::int64_t total);
// The mean of few values, one a training: 95 % by Student's t.
Estimate mean_of_trainings(std::span<const double> values);
// The quotient of two independent estimates, by the delta method.
Estimate ratio_of(const Estimate& numerator, const Estimate& denominator);
// The estimate in another unit.
Estimate scaled(const Estimate& estimate, double factor);

}  // namespace rootdk::claims
