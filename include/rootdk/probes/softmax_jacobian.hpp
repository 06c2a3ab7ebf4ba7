#pragma once
#include "rootdk/probes/softmax_tail.hpp"

namespace rootdk::probes {

// |J|_F for J = dp/dz = diag(p) - p p^T, p = softmax(z): how much of a gradient with respect to the
// weights of a row can reach its scores. At most 1/2 (two equal keys), sqrt(n - 1) / n when
// uniform. 0 for a row with one key or none, NaN for a row with a NaN. To about 1e-14 relative,
// saturated or not, given scores of double; at a gap of g the rounding of g itself costs a relative
// 1e-16 g. Given scores of float, to about 5e-7, and their own rounding costs 6e-8 g.
//
//   J_ii = p_i (1 - p_i),  J_ij = -p_i p_j, and sum_{j != i} J_ij^2 = p_i^2 (sum p^2 - p_i^2).
//
// In the notation of SoftmaxTail, S = T - 1 = e_2 F_1 and S_k = sum_{j>1} e_j^k = e_2^k F_k:
//
//   T^4 |J|_F^2 = 1^2 S^2                                    the winner's diagonal, 1 - p_1 = S / T
//               + sum_{j>1} e_j^2 (T - e_j)^2                the losers' diagonal
//               + 2 S_2 + sum_{i != j, both > 1} e_i^2 e_j^2    off the diagonal
//               = S^2 + (T^2 S_2 - 2 T S_3 + S_4) + 2 S_2 + (S_2^2 - S_4)
//
//   |J|_F = (e_2 / T^2) sqrt(F_1^2 + F_2 (T^2 + 2 + e_2^2 F_2) - 2 T e_2 F_3)
//
// The one subtraction is harmless: F_3 <= F_2 and e_2 <= 1, so it takes away at most
// 2 T / (T^2 + 2) <= 1 / sqrt(2) of what stands before it. Nothing is left of 1 - p, and e_2, the
// only factor that becomes small, stands in front.
double softmax_jacobian_norm(const SoftmaxTail& tail);

}  // namespace rootdk::probes
