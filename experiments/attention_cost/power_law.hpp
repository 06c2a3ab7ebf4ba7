#pragma once
#include <vector>

namespace rootdk {

// y = c x^slope, fitted as the straight line through (log x, log y) by least squares.
struct PowerLaw {
  double slope = 0;
  double low = 0, high = 0;  // 95 % confidence interval of the slope
};

// With N points and residuals r_i from the line, the slope has the variance
//   (sum r_i^2 / (N - 2)) / sum (log x_i - mean)^2,
// and the interval is the slope -+ t_{N-2} standard errors, t_{N-2} the 0.975 quantile of Student's
// distribution. It is exact when log y scatters normally and independently about a line. Where y is
// no power of x, as with a sum of two powers, the scatter is curvature, and the interval says how
// far a single slope can be trusted.
//
// x and y are as long as each other and positive. Throws std::invalid_argument otherwise, and when
// fewer than three points leave no interval or all x are equal.
PowerLaw fit_power_law(const std::vector<double>& x, const std::vector<double>& y);

// The x at which y crosses 1 upwards for the last time, on straight lines between neighbours in
// (log x, log y); x ascends. NaN when it does not cross between the first x and the last.
double last_rise_through_one(const std::vector<double>& x, const std::vector<double>& y);

}  // namespace rootdk
