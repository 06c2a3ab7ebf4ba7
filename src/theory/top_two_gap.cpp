#include "rootdk/theory/top_two_gap.hpp"

#include <boost/math/constants/constants.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <stdexcept>
#include <string>

namespace rootdk::theory {
namespace {

using boost::math::constants::one_div_root_two;
using boost::math::constants::one_div_root_two_pi;

double density(double x) { return one_div_root_two_pi<double>() * std::exp(-x * x / 2); }
double below(double x) { return boost::math::erfc(-x * one_div_root_two<double>()) / 2; }
double above(double x) { return below(-x); }

double counted(std::int64_t n) {
  if (n < 2) {
    throw std::invalid_argument("order statistics need n >= 2, not n = " + std::to_string(n));
  }
  return static_cast<double>(n);
}

// The integral over the real line of a smooth function that falls like phi on both sides. There the
// trapezoidal rule converges faster than any power of its step; density(9) is below 1e-18.
template <class Function>
double over_the_line(const Function& f) {
  constexpr double step = 0.125;
  constexpr int steps = 72;
  double sum = 0;
  for (int i = -steps; i <= steps; ++i) sum += f(step * i);
  return step * sum;
}

}  // namespace

double mean_of_largest(std::int64_t n) {
  const double N = counted(n);
  return over_the_line([N](double x) { return N * x * density(x) * std::pow(below(x), N - 1); });
}

double mean_square_of_largest(std::int64_t n) {
  const double N = counted(n);
  return over_the_line(
      [N](double x) { return N * x * x * density(x) * std::pow(below(x), N - 1); });
}

double gap_survival(std::int64_t n, double t) {
  const double N = counted(n);
  return over_the_line([=](double x) { return N * density(x) * std::pow(below(x - t), N - 1); });
}

double gap_mean(std::int64_t n) {
  const double N = counted(n);
  return over_the_line([N](double x) { return N * std::pow(below(x), N - 1) * above(x); });
}

double density_of_triple(std::int64_t n) {
  const double N = counted(n);
  if (n == 2) return 0;
  return over_the_line([N](double x) {
    const double phi = density(x);
    return N * (N - 1) * (N - 2) * phi * phi * phi * std::pow(below(x), N - 3);
  });
}

double gap_quantile(std::int64_t n, double level) {
  if (!(level > 0 && level < 1)) {
    throw std::invalid_argument("gap_quantile: a level lies in (0, 1)");
  }
  std::uintmax_t iterations = 100;
  const auto [low, high] = boost::math::tools::toms748_solve(
      [=](double t) { return gap_survival(n, t) - (1 - level); }, 0.0, 24.0,
      boost::math::tools::eps_tolerance<double>(45), iterations);
  return (low + high) / 2;
}

}  // namespace rootdk::theory
