#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace rootdk::probes {

// The sum of term(x) over a row, in double: in 16 sums that are added pairwise at the end. The order
// is a property of the code, and the loop vectorises.
template <class T, class Term>
double sum_of(std::span<const T> row, Term&& term) {
  constexpr std::size_t lanes = 16;
  std::array<double, lanes> sum{};
  std::size_t i = 0;
  for (; i + lanes <= row.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] += term(row[i + lane]);
  }
  for (std::size_t lane = 0; i + lane < row.size(); ++lane) sum[lane] += term(row[i + lane]);
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) sum[lane] += sum[lane + half];
  }
  return sum[0];
}

template <class T>
double sum(std::span<const T> row) {
  return sum_of(row, [](T x) { return static_cast<double>(x); });
}

// The sum of (x - centre)^2.
template <class T>
double sum_of_squares(std::span<const T> row, double centre) {
  return sum_of(row, [centre](T x) {
    const double lead = static_cast<double>(x) - centre;
    return lead * lead;
  });
}

// The largest magnitude; NaN when there is a NaN, 0 for an empty row. Magnitudes are ordered as their
// bits are, read as integers, with infinity above every number and NaN above infinity.
template <class T>
double largest_magnitude(std::span<const T> row) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  constexpr Bits without_sign = std::numeric_limits<Bits>::max();
  Bits largest = 0;
  for (const T x : row) largest = std::max(largest, std::bit_cast<Bits>(x) & without_sign);
  return static_cast<double>(std::bit_cast<T>(largest));
}

}  // namespace rootdk::probes
