#include "rootdk/probes/gradient_statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "rootdk/probes/row_sums.hpp"

namespace rootdk::probes {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The power of two at or below a positive, finite number. Dividing by it is exact.
double power_of_two_below(double value) {
  if (value < std::numeric_limits<double>::min()) return std::ldexp(1.0, std::ilogb(value));
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & 0xfff0000000000000);
}

double share(std::span<const double> values, auto&& predicate) {
  return static_cast<double>(std::count_if(values.begin(), values.end(), predicate)) /
         static_cast<double>(values.size());
}

// mean, rms and live_share, of values that are not all zero.
void summarise_moments(std::span<const double> values, double unit, Summary& summary) {
  double first = 0, second = 0, fourth = 0;
  for (const double value : values) {
    const double x = value / unit;
    first += x;
    second += x * x;
    fourth += x * x * x * x;
  }
  const auto N = static_cast<double>(values.size());
  summary.mean = unit * (first / N);
  summary.rms = unit * std::sqrt(second / N);
  summary.live_share = second * second / (N * fourth);
}

}  // namespace

template <class T>
double norm(std::span<const T> row) {
  const double most = largest_magnitude(row);
  if (!(most > 0 && std::isfinite(most))) return most;
  const double unit = power_of_two_below(most);
  if (unit < 0x1p-1000) {  // 1 / unit might overflow
    return unit * std::sqrt(sum_of(row, [unit](T value) {
             const double x = static_cast<double>(value) / unit;
             return x * x;
           }));
  }
  return unit * std::sqrt(sum_of(row, [inverse = 1 / unit](T value) {
           const double x = static_cast<double>(value) * inverse;
           return x * x;
         }));
}
template double norm(std::span<const float>);
template double norm(std::span<const double>);

double quantile(std::span<const double> ascending, double level) {
  const double position = static_cast<double>(ascending.size() - 1) * level;
  const double whole = std::floor(position);
  const double t = position - whole;
  const auto below = static_cast<std::size_t>(whole);
  const double a = ascending[below];
  const double b = ascending[std::min(below + 1, ascending.size() - 1)];
  if (a == b || t == 0) return a;
  if (std::isinf(b)) return b;  // inf - inf is no number
  return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
}

Summary summarise(std::span<double> values) {
  const double most = values.empty() ? nan : largest_magnitude(std::span<const double>(values));
  if (most != most) return {nan, nan, nan, nan, nan, nan, nan, nan, nan};
  Summary summary;
  if (most > 0)
    summarise_moments(values, std::isfinite(most) ? power_of_two_below(most) : 1, summary);
  summary.dead_1e_3 = share(values, [](double x) { return std::fabs(x) < 1e-3; });
  summary.dead_1e_6 = share(values, [](double x) { return std::fabs(x) < 1e-6; });
  summary.exact_zero = share(values, [](double x) { return x == 0; });
  std::sort(values.begin(), values.end());
  summary.q05 = quantile(values, 0.05);
  summary.median = quantile(values, 0.5);
  summary.q95 = quantile(values, 0.95);
  return summary;
}

}  // namespace rootdk::probes
