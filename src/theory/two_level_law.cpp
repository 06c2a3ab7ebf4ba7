#include "rootdk/theory/two_level_law.hpp"

#include <algorithm>
#include <array>
#include <boost/math/quadrature/gauss.hpp>
#include <cmath>

#include "rootdk/theory/top_two_gap.hpp"

namespace rootdk::theory {
namespace row {
namespace {

using Three = std::array<double, 3>;

double total(const TopThree& e) { return 1 + e.e_2 + e.e_3; }

Three weights(const TopThree& e) { return {1 / total(e), e.e_2 / total(e), e.e_3 / total(e)}; }

double square(double x) { return x * x; }

// sum_{i<j} w_i w_j of the weights before they are normalised.
double pairs(const TopThree& e) { return e.e_2 + e.e_3 + e.e_2 * e.e_3; }

// |J a| for weights a_i = p_i, less 1 at the target, if that is one of the three: differences
// first, (J a)_i = p_i sum_j p_j (a_i - a_j), so that a row near one-hot keeps its digits.
double norm_of_Ja(const TopThree& e, int target) {
  const Three p = weights(e);
  Three a = p;
  if (target == 0) {
    a[0] = -(p[1] + p[2]);
  } else if (target > 0) {
    a[static_cast<std::size_t>(target)] -= 1;
  }
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    double lead = 0;
    for (std::size_t j = 0; j < 3; ++j) lead += p[j] * (a[i] - a[j]);
    sum += square(p[i] * lead);
  }
  return std::sqrt(sum);
}

// The mean of f(|J a|) over the target: each of the three with probability 1 / n, else none.
template <class Function>
double over_targets(const TopThree& e, const Function& f) {
  double sum = (e.n - 3) * f(norm_of_Ja(e, -1));
  for (int target = 0; target < 3; ++target) sum += f(norm_of_Ja(e, target));
  return sum / e.n;
}

}  // namespace

double jacobian_norm_square(const TopThree& e) {
  const auto [p1, p2, p3] = weights(e);
  const double diagonal = square(p1 * (p2 + p3)) + square(p2 * (p1 + p3)) + square(p3 * (p1 + p2));
  return diagonal + 2 * (square(p1 * p2) + square(p1 * p3) + square(p2 * p3));
}
double jacobian_norm(const TopThree& e) { return std::sqrt(jacobian_norm_square(e)); }
double jacobian_norm_fourth(const TopThree& e) { return square(jacobian_norm_square(e)); }

// One eigenvalue is 0; the others have the sum tr J and the product 3 p_1 p_2 p_3, the sum of the
// principal minors p_i p_j (1 - p_i - p_j) of J.
double jacobian_spectral(const TopThree& e) {
  const auto [p1, p2, p3] = weights(e);
  const double trace = jacobian_trace(e);
  return (trace + std::sqrt(std::max(0.0, trace * trace - 12 * p1 * p2 * p3))) / 2;
}

double jacobian_trace(const TopThree& e) { return 2 * pairs(e) / square(total(e)); }

double one_less_p_max(const TopThree& e) { return (e.e_2 + e.e_3) / total(e); }

double entropy(const TopThree& e) {
  const auto depth = [](double w) { return w > 0 ? -w * std::log(w) : 0; };
  return std::log1p(e.e_2 + e.e_3) + (depth(e.e_2) + depth(e.e_3)) / total(e);
}

double effective_keys_less_one(const TopThree& e) {
  return 2 * pairs(e) / (1 + square(e.e_2) + square(e.e_3));
}

double mse_norm(const TopThree& e) {
  return over_targets(e, [](double norm) { return norm; });
}
double mse_norm_square(const TopThree& e) { return over_targets(e, square); }

}  // namespace row

namespace {

// The integral over u > 0 of a smooth f that decays like exp(-u) or faster: Gauss-Legendre on panels of
// unit width. What is cut off beyond u = 40 is below the rounding of the rest.
template <class F>
double over_half_line(F&& f) {
  double sum = 0;
  for (int panel = 0; panel < 40; ++panel) {
    sum += boost::math::quadrature::gauss<double, 15>::integrate(f, panel, panel + 1.0);
  }
  return sum;
}

}  // namespace

// With x = exp(-u), y = exp(-v): dx / x = -du, and the integrals over (0, 1) become
//   A   = int h(x, 0) du,     I_1 = int u h(x, 0) du,
//   I_3 = int int (h(x, x y) - h(x, 0)) du dv.
TwoLevelLaw two_level_law(RowStatistic h, std::int64_t n) {
  const auto N = static_cast<double>(n);
  const auto two = [&](double u) { return h({std::exp(-u), 0, N}); };
  const double A = over_half_line(two);
  if (n == 2) return {A, 0};
  const double I_1 = over_half_line([&](double u) { return u * two(u); });
  const double I_3 = over_half_line([&](double u) {
    const double x = std::exp(-u), without_third = two(u);
    return over_half_line([&](double v) { return h({x, x * std::exp(-v), N}) - without_third; });
  });
  return {A, density_of_triple(n) * (I_3 - I_1 / 2)};
}

}  // namespace rootdk::theory
