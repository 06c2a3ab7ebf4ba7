#pragma once
#include <cstdint>

namespace rootdk::theory {

// The scaled scores of a query before any training: z_j = s q . k_j with q and the n keys from
// N(0, I), d_k wide. Given q they are exactly independent normals of standard deviation
// sigma = |s| |q|, and |q| = chi_d is the length of a normal vector, so
//
//   z_(1) - z_(2) = |s| chi_d Delta,   chi_d and Delta (top_two_gap.hpp) independent.
//
// All of this holds at every d_k and every scale; nothing is asymptotic.
class ScoreGap {
 public:
  ScoreGap(std::int64_t n, std::int64_t d_k, double scale);

  // P(z_(1) - z_(2) > t) = E S_n(t / (|s| chi_d)), t > 0.
  double survival(double t) const;
  // The gap that a share `level` of the queries stays below, 0 < level < 1.
  double quantile(double level) const;
  // |s| E chi_d E Delta
  double mean() const;

 private:
  std::int64_t n_, d_k_;
  double scale_;  // |s|
};

// E chi_d     = sqrt(2) Gamma((d+1)/2) / Gamma(d/2)
// E 1/chi_d   = Gamma((d-1)/2) / (sqrt(2) Gamma(d/2))   for d >= 2, infinite below
// E 1/chi_d^2 = 1 / (d-2)                               for d >= 3, infinite below
double mean_length(std::int64_t d_k);
double mean_inverse_length(std::int64_t d_k);
double mean_inverse_square_length(std::int64_t d_k);

}  // namespace rootdk::theory
