#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace rootdk::probes {

// |dL/dq| of one query under three probe losses on its weights p = softmax(z), z_j = s q . k_j:
//
//   dL/dq = s sum_j dz_j k_j,   dz = J a,   a = dL/dp,   J = diag(p) - p p^T.
//
// The output is o = sum_j p_j v_j with orthonormal values v_j, tau is the target key.
struct QueryGradientNorms {
  // L = c . o with a_j = c . v_j independent N(0, 1): the root of the mean square over a, which is
  // exact, s |J K|_F = s (sum_j p_j^2 |k_j - kbar|^2)^(1/2), kbar = sum_j p_j k_j.
  double lin = 0;
  // L = |o - v_tau|^2 / 2: a = p - e_tau. Saturation on any key makes it vanish.
  double mse = 0;
  // L = -ln p_tau, on the weights themselves: dz = p - e_tau without J. On a wrong key it does not
  // vanish.
  double attn_ce = 0;
};

// Takes rows of a fixed number of keys and width one after the other, reusing its memory. The
// winner enters by differences only: the entries of dz sum to zero, so sum_j dz_j k_j is the sum of
// dz_j (k_j - k_winner) over the losers, and no digit is lost when 1 - p_winner is below 1e-16.
class QueryGradient {
 public:
  QueryGradient(std::size_t n, std::size_t d_k);

  // z: the n scaled scores, finite; keys: n x d_k; scale: s; target < n.
  template <class T>
  QueryGradientNorms operator()(std::span<const double> z, std::span<const T> keys, double scale,
                                std::size_t target);

 private:
  void weigh(std::span<const double> z);
  void differentiate(std::size_t target);
  template <class T>
  void sum_keys(std::span<const T> keys);
  template <class T>
  double lin_norm(std::span<const T> keys);

  std::size_t n_, d_k_;
  std::size_t winner_ = 0;
  double rest_ = 0;                      // 1 - p_winner
  std::vector<double> p_;                // weights
  std::vector<double> dz_mse_, dz_ce_;   // of the losers
  std::vector<double> mean_, mse_, ce_;  // sums over the losers, d_k wide
  std::vector<double> lengths_;          // p_j |k_j - kbar|
};

}  // namespace rootdk::probes
