#include "rootdk/probes/gradient_statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <utility>

#include "rootdk/probes/row_sums.hpp"

namespace rootdk::probes {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The power of two at or below a positive, finite number. Dividing by it is exact.
double power_of_two_below(double value) {
  if (value < std::numeric_limits<double>::min()) return std::ldexp(1.0, std::ilogb(value));
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & 0xfff0000000000000);
}

// What `use` makes of the function that divides by a power of two: a product, unless the inverse might
// overflow.
template <class Use>
auto with_division_by(double unit, Use&& use) {
  if (unit < 0x1p-1000) return use([unit](double x) { return x / unit; });
  return use([inverse = 1 / unit](double x) { return x * inverse; });
}

double share(std::span<const double> values, auto&& predicate) {
  return sum_of(values, [&](double x) { return predicate(x) ? 1.0 : 0.0; }) /
         static_cast<double>(values.size());
}

// mean, rms and live_share, of values that are not all zero.
void summarise_moments(std::span<const double> values, double unit, Summary& summary) {
  with_division_by(unit, [&](const auto& scaled) {
    const double first = sum_of(values, scaled);
    const double second = sum_of(values, [&](double x) { return scaled(x) * scaled(x); });
    const double fourth = sum_of(values, [&](double x) {
      const double square = scaled(x) * scaled(x);
      return square * square;
    });
    const auto N = static_cast<double>(values.size());
    summary.mean = unit * (first / N);
    summary.rms = unit * std::sqrt(second / N);
    summary.live_share = second * second / (N * fourth);
  });
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
    if (std::isinf(b)) return b;  // inf - inf is no number, nor is -inf + inf
    if (std::isinf(a)) return a;
    if (std::isinf(b - a)) return a * (1 - t) + b * t;
    return t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t);
  }
};

// Bits of doubles as integers that are ordered as the numbers are: of two negative numbers the one with
// the larger magnitude bits is the smaller. Its own inverse.
std::int64_t ordered(std::int64_t bits) {
  return bits ^ (bits >> 63 & std::numeric_limits<std::int64_t>::max());
}
std::int64_t ordered(double x) { return ordered(std::bit_cast<std::int64_t>(x + 0.0)); }  // -0 is 0
double number(std::int64_t order) { return std::bit_cast<double>(ordered(order)); }

// Quantiles without sorting: the interval that holds an order statistic is halved until few values are
// left in it, and those are gone through in order. All passes over the values count or take a minimum, so
// they vectorise and no branch hangs on a value.
class Quantiles {
 public:
  explicit Quantiles(std::span<const double> values) : values_(values) {
    least_ = largest_ = ordered(values[0]);
    for (const double x : values) {
      least_ = std::min(least_, ordered(x));
      largest_ = std::max(largest_, ordered(x));
    }
  }
  double at(double level) const {
    const Position position(values_.size(), level);
    const auto [below, next] = from_rank(position.below);
    return position.between(number(below), number(next));
  }

 private:
  std::size_t count_up_to(std::int64_t order) const {
    const double most = order == -1 ? -std::numeric_limits<double>::denorm_min() : number(order);
    std::int64_t count = 0;
    for (const double x : values_) count += x <= most ? 1 : 0;
    return static_cast<std::size_t>(count);
  }
  // The least that is above `order`; the largest if none is.
  std::int64_t next_above(std::int64_t order) const {
    std::int64_t least = largest_;
    for (const double x : values_) {
      least = std::min(least, ordered(x) > order ? ordered(x) : largest_);
    }
    return least;
  }
  // The order statistic of a rank and the one after it. Of the values, `below` lie under `low` and
  // `through` under or at `high`.
  std::pair<std::int64_t, std::int64_t> from_rank(std::size_t rank) const {
    std::int64_t low = least_, high = largest_;
    std::size_t below = 0, through = values_.size();
    constexpr std::size_t few = 4;
    while (through - below > few && low < high) {
      const std::int64_t middle = std::midpoint(low, high);
      const std::size_t count = count_up_to(middle);
      if (count > rank) {
        high = middle;
        through = count;
      } else {
        low = middle + 1;
        below = count;
      }
    }
    std::int64_t found = next_above(low - 1);
    while ((through = count_up_to(found)) <= rank) found = next_above(found);
    return {found, rank + 1 < through ? found : next_above(found)};
  }

  std::span<const double> values_;
  std::int64_t least_, largest_;
};

}  // namespace

template <class T>
double norm(std::span<const T> row) {
  // The square of a float is a normal number in double.
  if constexpr (sizeof(T) < sizeof(double)) return std::sqrt(sum_of_squares(row));
  const double most = largest_magnitude(row);
  if (!(most > 0 && std::isfinite(most))) return most;
  const double unit = power_of_two_below(most);
  return with_division_by(unit, [&](const auto& scaled) {
    const auto square = [&](T x) {
      return scaled(static_cast<double>(x)) * scaled(static_cast<double>(x));
    };
    return unit * std::sqrt(sum_of(row, square));
  });
}
template double norm(std::span<const float>);
template double norm(std::span<const double>);

double quantile(std::span<const double> ascending, double level) {
  const Position at(ascending.size(), level);
  return at.between(ascending[at.below], ascending[std::min(at.below + 1, ascending.size() - 1)]);
}

Summary summarise(std::span<const double> values) {
  const double most = values.empty() ? nan : largest_magnitude(values);
  if (most != most) return {nan, nan, nan, nan, nan, nan, nan, nan, nan};
  Summary summary;
  if (most > 0)
    summarise_moments(values, std::isfinite(most) ? power_of_two_below(most) : 1, summary);
  summary.dead_1e_3 = share(values, [](double x) { return std::fabs(x) < 1e-3; });
  summary.dead_1e_6 = share(values, [](double x) { return std::fabs(x) < 1e-6; });
  summary.exact_zero = share(values, [](double x) { return x == 0; });
  const Quantiles quantiles(values);
  summary.q05 = quantiles.at(0.05);
  summary.median = quantiles.at(0.5);
  summary.q95 = quantiles.at(0.95);
  return summary;
}

}  // namespace rootdk::probes
