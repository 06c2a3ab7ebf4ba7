#pragma once
// Statistics of independent values with their standard errors, for rows of a CSV.
#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace rootdk {

struct Estimate {
  std::string_view statistic;
  double value = 0;
  double standard_error = 0;
};

// mean, rms, median, q05, q95 and, of magnitudes, dead_1e-3, dead_1e-6, exact_zero, live_share, in
// the order of probes::statistic_names. Values come in the order of the queries and are left
// sorted. The standard error
//   of the mean     is the standard deviation over sqrt(N);
//   of rms and live_share is that of their first-order expansion in the means they are made of;
//   of a quantile   at level a is half the distance between the order statistics at the ranks
//                   N a +- sqrt(N a (1 - a)), whatever the density is (H. A. David and
//                   H. N. Nagaraja, Order Statistics, 2003, section 7.1);
//   of a share p    is sqrt(p' (1 - p') / N) with p' = (N p + 1) / (N + 2), which is not 0 for a
//                   share of 0 or 1 (E. B. Wilson's centre, one standard error wide).
std::vector<Estimate> estimates(std::span<double> values, bool magnitude);

// The mean of values that are 1 or 0.
Estimate share(std::span<const double> indicators);

// mean, variance and kurtosis (3 for a normal) of scores that come in groups, each group the keys
// of one query: from the groups' means of z, z^2, z^3, z^4. Scores of one group depend on each
// other through their query, so the standard errors are those between groups. The kurtosis is NaN
// when all scores are equal.
std::array<Estimate, 3> score_estimates(std::span<const std::array<double, 4>> group_moments);

}  // namespace rootdk
