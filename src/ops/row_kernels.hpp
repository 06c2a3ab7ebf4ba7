#pragma once
// Reductions over a contiguous row. Sums run in 16 interleaved lanes that are then added pairwise: the
// order is a property of the code, not of the vector width it is compiled for, and it vectorises.
#include <array>

#include "rootdk/autodiff/shape.hpp"

namespace rootdk {

inline constexpr Index lanes = 16;

template <class T>
using Lanes = std::array<T, static_cast<std::size_t>(lanes)>;

template <class T>
T sum_lanes(Lanes<T>& lane) {
  for (std::size_t half = lane.size() / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) lane[i] += lane[i + half];
  }
  return lane[0];
}

// The sum of term(0) ... term(count - 1).
template <class T, class Term>
T sum_of(Index count, Term&& term) {
  Lanes<T> lane{};
  Index j = 0;
  for (; j + lanes <= count; j += lanes) {
    for (Index i = 0; i < lanes; ++i) lane[static_cast<std::size_t>(i)] += term(j + i);
  }
  for (Index i = 0; j + i < count; ++i) lane[static_cast<std::size_t>(i)] += term(j + i);
  return sum_lanes(lane);
}

// The largest entry; count >= 1. A NaN may be passed over: whoever exponentiates the row meets it.
template <class T>
T max_of(const T* x, Index count) {
  Lanes<T> lane;
  lane.fill(x[0]);
  Index j = 0;
  for (; j + lanes <= count; j += lanes) {
#pragma GCC unroll 1  // unrolled, g++ no longer sees vectors of lanes in it
    for (Index i = 0; i < lanes; ++i) {
      T& best = lane[static_cast<std::size_t>(i)];
      best = best < x[j + i] ? x[j + i] : best;
    }
  }
  T best = lane[0];
  for (const T candidate : lane) best = best < candidate ? candidate : best;
  for (; j < count; ++j) best = best < x[j] ? x[j] : best;
  return best;
}

}  // namespace rootdk
