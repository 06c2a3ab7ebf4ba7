#include "rootdk/theory/score_gap.hpp"

#include <algorithm>
#include <boost/math/constants/constants.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <limits>

#include "rootdk/theory/top_two_gap.hpp"

namespace rootdk::theory {
namespace {

using boost::math::constants::root_two;

// E f(chi_d), by the trapezoidal rule in y = ln chi_d. The density of y is smooth with a standard
// deviation of about 1 / sqrt(2 d); it falls as exp(d y) to the left and faster to the right.
template <class Function>
double over_lengths(std::int64_t d_k, const Function& f) {
  const auto d = static_cast<double>(d_k);
  const boost::math::chi_squared square(d);
  const double deviation = 1 / std::sqrt(2 * d), middle = std::log(d) / 2;
  const double step = 0.4 * deviation;
  const double first = middle - std::max(8 * deviation, 30 / d), last = middle + 8 * deviation;
  double sum = 0;
  for (double y = first; y < last; y += step) {
    const double length = std::exp(y);
    const double density = 2 * length * length * pdf(square, length * length);  // of y
    if (density > 1e-14) sum += density * f(length);
  }
  return step * sum;
}

}  // namespace

ScoreGap::ScoreGap(std::int64_t n, std::int64_t d_k, double scale)
    : n_(n), d_k_(d_k), scale_(std::fabs(scale)) {}

double ScoreGap::survival(double t) const {
  if (scale_ == 0) return 0;
  return over_lengths(d_k_, [&](double length) { return gap_survival(n_, t / (scale_ * length)); });
}

// In units of |s| sqrt(d), where the quantiles of all d_k lie near those of Delta.
double ScoreGap::quantile(double level) const {
  const double unit = scale_ * std::sqrt(static_cast<double>(d_k_));
  if (unit == 0) return 0;
  std::uintmax_t iterations = 100;
  const auto [low, high] = boost::math::tools::toms748_solve(
      [&](double x) { return survival(unit * x) - (1 - level); }, 1e-9, 30.0,
      boost::math::tools::eps_tolerance<double>(30), iterations);
  return unit * (low + high) / 2;
}

double ScoreGap::mean() const { return scale_ * mean_length(d_k_) * gap_mean(n_); }

double mean_length(std::int64_t d_k) {
  return root_two<double>() / boost::math::tgamma_delta_ratio(static_cast<double>(d_k) / 2, 0.5);
}

double mean_inverse_length(std::int64_t d_k) {
  if (d_k < 2) return std::numeric_limits<double>::infinity();
  return boost::math::tgamma_delta_ratio((static_cast<double>(d_k) - 1) / 2, 0.5) /
         root_two<double>();
}

double mean_inverse_square_length(std::int64_t d_k) {
  if (d_k < 3) return std::numeric_limits<double>::infinity();
  return 1 / (static_cast<double>(d_k) - 2);
}

}  // namespace rootdk::theory
