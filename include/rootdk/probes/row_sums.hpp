#pragma once
#include <array>
#include <cstddef>
#include <span>

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

// The largest magnitude; NaN when there is a NaN, 0 for an empty row.
template <class T>
double largest_magnitude(std::span<const T> row) {
  constexpr std::size_t lanes = 16;
  std::array<T, lanes> most{}, nothing{};  // x - x is 0, or NaN where x is not finite
  std::size_t i = 0;
  for (; i + lanes <= row.size(); i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const T x = row[i + lane], magnitude = x < 0 ? -x : x;
      most[lane] = most[lane] < magnitude ? magnitude : most[lane];
      nothing[lane] += x - x;
    }
  }
  T largest = 0, finite = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    largest = largest < most[lane] ? most[lane] : largest;
    finite += nothing[lane];
  }
  // What is left; and once more all of a row in which something is not finite.
  for (i = finite == 0 ? i : 0; i < row.size(); ++i) {
    const T magnitude = row[i] < 0 ? -row[i] : row[i];
    if (magnitude > largest || magnitude != magnitude)
      largest = magnitude;  // nothing exceeds a NaN
  }
  return static_cast<double>(largest);
}

}  // namespace rootdk::probes
