#pragma once
#include <span>

#include "rootdk/probes/softmax_tail.hpp"

namespace rootdk::probes {

// The eigenvalues of J = dp/dz = diag(p) - p p^T, p = softmax(z), are real and not negative. Both
// functions give 0 for a row with one key or none and NaN for a row with a NaN, and lose no digit
// when the row saturates; J by its Frobenius norm is in softmax_jacobian.hpp.

// tr J = 1 - sum p^2, the sum of the eigenvalues: (n - 1) / n when uniform. In the notation of
// SoftmaxTail, with S = e_2 F_1 and S_2 = e_2^2 F_2,
//
//   1 - sum p^2 = (T^2 - 1 - S_2) / T^2 = (2 S + S^2 - S_2) / T^2
//               = (e_2 / T^2) (2 F_1 + e_2 (F_1^2 - F_2)),   F_2 <= F_1^2.
double softmax_jacobian_trace(const SoftmaxTail& tail);

// |J|_2, the largest eigenvalue: by how much a gradient with respect to the weights can reach the
// scores at most. 1/2 for two equal keys, 1/n when uniform. `tail` is that of the scores, which
// come in any order, a score of -inf being a key that is not seen; `losers` is scratch of as many
// entries.
//
// J is diag(p) less a matrix of rank one, so (Golub, SIAM Review 15, 1973) the eigenvalues
// interlace with the weights, and the largest is the root between p_2 and p_1 of
// sum_j p_j^2 / (p_j - x) = 1. The term of the winner less 1 is (x - p_1 (1 - p_1)) / (p_1 - x).
// With p_j = e_2 f_j / T, 1 - p_1 = e_2 F_1 / T and x = e_2 y / T, a factor e_2 leaves the
// equation:
//
//   g(y) = (y - F_1 / T) / (1 - e_2 y) - (1 / T) sum_{j>1} f_j^2 / (y - f_j) = 0,
//   1 < y < 1 / e_2,
//
// in numbers of order one however far the row saturates. g increases from -inf to inf. Gershgorin's
// circles put y between F_1 / T and 2 F_1 / T, so halving that interval finds it to the last bit.
template <class T>
double softmax_jacobian_spectral(std::span<const T> scores, const SoftmaxTail& tail,
                                 std::span<double> losers);

}  // namespace rootdk::probes
