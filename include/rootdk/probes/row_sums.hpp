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

// Joins lane i with lane i + count / 2 for the first half of them, then those by halves, down to one. The
// loops have lengths that the compiler knows, so the lanes stay in registers.
template <std::size_t count, class Join>
[[gnu::always_inline]] inline void join_pairwise(const Join& join) {
  constexpr std::size_t half = count / 2;
  for (std::size_t lane = 0; lane < half; ++lane) join(lane, lane + half);
  if constexpr (half > 1) join_pairwise<half>(join);
}

// The sum of term(x) over a row, of type Number: in 16 sums that are added pairwise at the end. The order
// is a property of the code, and the loop vectorises.
template <class Number = double, class T, class Term>
Number sum_of(std::span<const T> row, Term&& term) {
  constexpr std::size_t lanes = 16;
  std::array<Number, lanes> sum{};
  std::size_t i = 0;
  for (; i + lanes <= row.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] += term(row[i + lane]);
  }
  if (i < row.size()) {  // on their own, or the sums would have to be in memory
    std::array<Number, lanes> rest{};
    for (std::size_t lane = 0; i + lane < row.size(); ++lane) rest[lane] = term(row[i + lane]);
    for (std::size_t lane = 0; lane < lanes; ++lane) sum[lane] += rest[lane];
  }
  join_pairwise<lanes>([&](std::size_t lane, std::size_t other) { sum[lane] += sum[other]; });
  return sum[0];
}

template <class T>
double sum(std::span<const T> row) {
  return sum_of(row, [](T x) { return static_cast<double>(x); });
}

template <class T>
double sum_of_squares(std::span<const T> row) {
  return sum_of(row, [](T x) { return static_cast<double>(x) * static_cast<double>(x); });
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
