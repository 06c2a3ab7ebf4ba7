#pragma once
#include <limits>
#include <span>

namespace rootdk::probes {

// Everything the probes need to know about one row of softmax, in numbers that keep their precision
// when the row saturates. With the scores in descending order z_1 >= z_2 >= ... >= z_n,
//
//   e_j = exp(z_j - z_1),  T = sum_j e_j,  p_j = e_j / T;   1 - p_1 = (T - 1) / T.
//
// Taking 1 - p_1 from a rounded p_1 loses every digit once the gap z_1 - z_2 exceeds 36, and
// squares of e_2 underflow beyond 372. So the losers are measured from the runner-up,
// f_j = exp(z_j - z_2):
//
//   e_j = e_2 f_j,   F_k = sum_{j>1} f_j^k,  1 <= F_k <= n - 1,   T = 1 + e_2 F_1,
//
// and the probes factor e_2 out where they are proportional to it. f_j is as exact as the type of the
// scores: of float scores, whose own rounding moves it more, F_k and depth are good to about 5e-7.
struct SoftmaxTail {
  enum class Row { empty, ordinary, not_a_number };
  Row row = Row::empty;
  double top_two_gap = 0;  // z_1 - z_2; inf when there is no second key
  double e_2 = 0;          // exp(-top_two_gap); 0 when there is no second key
  double F_1 = 0;          // sum over the losers of f_j,
  double F_2 = 0;          //   of f_j^2,
  double F_3 = 0;          //   of f_j^3,
  double depth = 0;        //   and of (z_1 - z_j) f_j

  double T() const { return 1 + e_2 * F_1; }
};

// scores: the scaled scores of the keys a query may see, in any order; float or double, any length.
// A score of -inf is a key that is not seen: it changes nothing. A row without a key that is seen
// is `empty`; one with a NaN or a score of +inf, whose softmax does not exist, is `not_a_number`.
template <class T>
SoftmaxTail softmax_tail(std::span<const T> scores);

}  // namespace rootdk::probes
