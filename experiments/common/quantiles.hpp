#pragma once

namespace rootdk {

// Quantiles behind the intervals of the experiments, in one place: the headers they come from
// (Boost.Math) take seconds to compile. Probabilities lie in (0, 1).

// The x with P(B <= x) = p, or P(B > x) = p, for B ~ Beta(a, b), a, b > 0.
double beta_quantile(double a, double b, double p);
double beta_quantile_from_above(double a, double b, double p);

// The t with P(|T| > t) = p for Student's T with `degrees` > 0 degrees of freedom: T^2 = degrees
// (1 - B) / B with B ~ Beta(degrees / 2, 1 / 2).
double students_t_two_sided(double degrees, double p);

}  // namespace rootdk
