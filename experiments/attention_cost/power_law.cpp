#include "attention_cost/power_law.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "common/quantiles.hpp"
#include "rootdk/elementary.hpp"

namespace rootdk {
namespace {

std::vector<double> logarithms(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) {
      throw std::invalid_argument("a power law takes positive numbers only");
    }
    result.push_back(elementary::log(value));
  }
  return result;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

PowerLaw fit_power_law(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size()) throw std::invalid_argument("a power law takes one y for each x");
  if (x.size() < 3) throw std::invalid_argument("a power law with its interval takes three points");
  const std::vector<double> log_x = logarithms(x), log_y = logarithms(y);
  const double mean_x = mean(log_x), mean_y = mean(log_y);
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (log_x[i] - mean_x) * (log_x[i] - mean_x);
    xy += (log_x[i] - mean_x) * (log_y[i] - mean_y);
  }
  if (!(xx > 0)) throw std::invalid_argument("a power law takes different x");
  const double slope = xy / xx;
  double residual = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double r = log_y[i] - mean_y - slope * (log_x[i] - mean_x);
    residual += r * r;
  }
  const double degrees = static_cast<double>(x.size()) - 2;
  const double t = students_t_two_sided(degrees, 0.05);
  const double half = t * std::sqrt(residual / degrees / xx);
  return {slope, slope - half, slope + half};
}

double last_rise_through_one(const std::vector<double>& x, const std::vector<double>& y) {
  const std::vector<double> log_x = logarithms(x), log_y = logarithms(y);
  for (std::size_t i = x.size(); i-- > 1;) {
    if (!(log_y[i - 1] < 0 && log_y[i] >= 0)) continue;
    const double part = -log_y[i - 1] / (log_y[i] - log_y[i - 1]);
    return elementary::exp(log_x[i - 1] + part * (log_x[i] - log_x[i - 1]));
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace rootdk
