#pragma once
#include <cstdint>

namespace rootdk::theory {

// Order statistics of n >= 2 independent standard normals x_(1) >= x_(2) >= ..., by quadrature; phi
// and Phi are the density and the distribution function of one of them. Scores that do not know
// their query yet are such normals, times a factor, and softmax saturates as far as the largest
// leads: everything in saturation_law.hpp comes from the numbers here. H. A. David and
// H. N. Nagaraja, "Order Statistics", 3rd edition, 2003, is the general reference. Absolute errors
// are below 1e-10; all functions throw std::invalid_argument when n < 2.

// mu_n = E x_(1) = n int x phi(x) Phi(x)^(n-1) dx. Also the density at 0 of the gap below:
// f_n(0) = n (n - 1) int phi^2 Phi^(n-2) dx is the same integral by parts.
double mean_of_largest(std::int64_t n);
// E x_(1)^2
double mean_square_of_largest(std::int64_t n);

// The gap Delta = x_(1) - x_(2) > 0.
//   S_n(t) = P(Delta > t) = n int phi(x) Phi(x - t)^(n-1) dx: the largest is x, all others below
//   x - t. For t >= 0; 1 at 0. Too small to see beyond t = 18.
double gap_survival(std::int64_t n, double t);
// The t with P(Delta <= t) = level, 0 < level < 1.
double gap_quantile(std::int64_t n, double level);
// E Delta = n int Phi^(n-1) (1 - Phi) dx.
double gap_mean(std::int64_t n);

// f_3 = n (n - 1) (n - 2) int phi^3 Phi^(n-3) dx, the density with which the three largest meet:
// P(x_(1) - x_(2) in da, x_(1) - x_(3) in db) = f_3 da db as 0 < a < b tend to 0. 0 for n = 2. The
// density of the gap falls from mu_n with the slope f_n'(0) = -f_3 / 2.
double density_of_triple(std::int64_t n);

}  // namespace rootdk::theory
