#pragma once
#include <cstdint>

namespace rootdk::theory {

// The three largest weights of a row in the ratio 1 : e_2 : e_3, 1 >= e_2 >= e_3 >= 0, of n keys.
// When scores are far apart the rest does not count; e_3 = 0 leaves two.
struct TopThree {
  double e_2 = 0;
  double e_3 = 0;
  double n = 2;  // only the losses that draw a target key at random look at it
};

// Statistics of a row that vanish when it is one-hot, without cancellation. J = diag(p) - p p^T.
namespace row {
double jacobian_norm(const TopThree& e);            // |J|_F; with two keys 2 p q
double jacobian_norm_square(const TopThree& e);     // |J|_F^2
double jacobian_norm_fourth(const TopThree& e);     // |J|_F^4
double jacobian_spectral(const TopThree& e);        // largest eigenvalue of J
double jacobian_trace(const TopThree& e);           // tr J = 1 - sum p^2
double one_less_p_max(const TopThree& e);           // 1 - p_(1)
double entropy(const TopThree& e);                  // -sum p ln p
double effective_keys_less_one(const TopThree& e);  // 1 / sum p^2 - 1
// |J a| for a = p - e_tau, the gradient of |o - v_tau|^2 / 2 with orthonormal values: its mean and
// its mean square over tau uniform among the n keys. J p is what a wrong tau outside the top
// leaves.
double mse_norm(const TopThree& e);
double mse_norm_square(const TopThree& e);
}  // namespace row

using RowStatistic = double (*)(const TopThree&);

// The two-level law. Let n scores be independent normals of a large standard deviation sigma, and h
// vanish on one-hot rows. h is then felt only where the top two keys are within O(1) of each other.
// Their gap u = sigma Delta has the density mu_n + f_n'(0) u / sigma + ... over sigma, and a third
// key comes as close with the density f_3 / sigma^2 (top_two_gap.hpp). Hence
//
//   E h = A mu_n / sigma + C / sigma^2 + O(sigma^-3),
//   A = int_0^inf h(u) du,   C = f_n'(0) I_1 + f_3 I_3 = f_3 (I_3 - I_1 / 2),
//   I_1 = int_0^inf u h(u) du,   I_3 = int int_{0<u<v} (h(u, v) - h(u)) du dv,
//
// with h(u) and h(u, v) the statistic of the scores 0, -u and 0, -u, -v. In e_2 = x = exp(-u) and
// e_3 = x y, y = exp(u - v), these are integrals over 0 ... 1 with du = dx / x and dv = dy / y.
struct TwoLevelLaw {
  double A = 0;
  double C = 0;  // for this n
};
TwoLevelLaw two_level_law(RowStatistic h, std::int64_t n);

}  // namespace rootdk::theory
