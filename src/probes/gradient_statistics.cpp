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

// Where a quantile lies among ascending values: a fraction t of the way from one to the next.
struct Position {
  std::size_t below;
  double t;
  Position(std::size_t count, double level) {
    const double position = static_cast<double>(count - 1) * level;
    below = static_cast<std::size_t>(std::floor(position));
    t = position - std::floor(position);
  }
  double between(double a, double b) const {
    if (a == b || t == 0) return a;
    if (std::isinf(b)) return b;  // inf - inf is no number
    return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
  }
};

// The same without sorting all of them: the two values it lies between are selected.
double quantile_of_any_order(std::span<double> values, double level) {
  const Position at(values.size(), level);
  const auto below = values.begin() + static_cast<std::ptrdiff_t>(at.below);
  std::nth_element(values.begin(), below, values.end());
  const auto above = std::min_element(below + 1, values.end());
  return at.between(*below, above == values.end() ? *below : *above);
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
  const Position at(ascending.size(), level);
  return at.between(ascending[at.below], ascending[std::min(at.below + 1, ascending.size() - 1)]);
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
  summary.q05 = quantile_of_any_order(values, 0.05);
  summary.median = quantile_of_any_order(values, 0.5);
  summary.q95 = quantile_of_any_order(values, 0.95);
  return summary;
}

}  // namespace rootdk::probes
