#pragma once
// Softmax over a row that comes in pieces, and its backward rule piece by piece. The derivation stands
// above StreamingAttention.
#include <limits>

#include "rootdk/elementary.hpp"
#include "row_kernels.hpp"

namespace rootdk {

// The largest score of a row of which nothing has come yet. Finite: a piece of scores that are all
// -infinity then gets the weights 0, not exp(-infinity + infinity).
template <class T>
constexpr T no_score_yet = std::numeric_limits<T>::lowest();

// The next n >= 1 scores of a row whose largest score and sum of exponentials are known so far. They
// become e^(z - m'). Returns e^(m - m'), by which every sum over earlier weights shrinks.
template <class T>
T join_scores(T* __restrict z, Index n, T& largest, T& sum) {
  const T of_piece = max_of(z, n);
  const T now = largest < of_piece ? of_piece : largest;
  const T shrink = elementary::exp_nonpositive(largest - now);
  for (Index j = 0; j < n; ++j) z[j] = elementary::exp_nonpositive(z[j] - now);
  sum = sum * shrink + sum_of(z, n);
  largest = now;
  return shrink;
}

// Scores z become weights p = e^(z - m) / l, and their cotangents dp become dS = s p (dp - D).
template <class T>
struct RowStatistics {
  T largest, inverse, dot;  // m, 1/l, D
};
template <class T>
void weights_and_score_gradients(T* __restrict z, T* __restrict d_p, Index n,
                                 const RowStatistics<T>& row, T factor) {
  const auto [largest, inverse, dot] = row;
  for (Index j = 0; j < n; ++j) {
    const T p = elementary::exp_nonpositive(z[j] - largest) * inverse;
    z[j] = p;
    d_p[j] = factor * (p * (d_p[j] - dot));
  }
}

}  // namespace rootdk
