#include "saturation_at_init/estimates.hpp"

#include <algorithm>
#include <cmath>

#include "rootdk/probes/gradient_statistics.hpp"

namespace rootdk {
namespace {

// Of the mean of f over the values.
template <class Values, class Function>
double error_of_mean(const Values& values, const Function& f) {
  const auto N = static_cast<double>(values.size());
  double sum = 0, square = 0;
  for (const auto& value : values) sum += f(value);
  const double mean = sum / N;
  for (const auto& value : values) square += (f(value) - mean) * (f(value) - mean);
  return std::sqrt(square / (N - 1) / N);
}

double error_of_share(double share, std::size_t count) {
  const auto N = static_cast<double>(count);
  const double p = (N * share + 1) / (N + 2);
  return std::sqrt(p * (1 - p) / N);
}

double error_of_quantile(std::span<const double> ascending, double level) {
  const auto N = static_cast<double>(ascending.size());
  const double spread = std::sqrt(level * (1 - level) / N);
  const auto at = [&](double a) { return probes::quantile(ascending, std::clamp(a, 0.0, 1.0)); };
  return (at(level + spread) - at(level - spread)) / 2;
}

// d rms = d(mean of x^2) / (2 rms).
double error_of_rms(std::span<const double> values, double rms, double unit) {
  if (rms == 0) return 0;
  const auto square = [=](double x) { return (x / unit) * (x / unit); };
  return unit * error_of_mean(values, square) / (2 * rms / unit);
}

// R = m_2^2 / m_4, so dR = R (2 dm_2 / m_2 - dm_4 / m_4).
double error_of_live_share(std::span<const double> values, double live_share, double unit) {
  const auto N = static_cast<double>(values.size());
  double second = 0, fourth = 0;
  for (const double value : values) {
    const double square = (value / unit) * (value / unit);
    second += square / N;
    fourth += square * square / N;
  }
  if (fourth == 0) return 0;
  return live_share * error_of_mean(values, [=](double value) {
           const double square = (value / unit) * (value / unit);
           return 2 * square / second - square * square / fourth;
         });
}

double standard_error(std::string_view statistic, double value, std::span<const double> ascending) {
  const double largest = std::max(std::fabs(ascending.front()), std::fabs(ascending.back()));
  const double unit = largest > 0 ? largest : 1;  // so that no power underflows
  if (statistic == "mean")
    return unit * error_of_mean(ascending, [=](double x) { return x / unit; });
  if (statistic == "rms") return error_of_rms(ascending, value, unit);
  if (statistic == "median") return error_of_quantile(ascending, 0.5);
  if (statistic == "q05") return error_of_quantile(ascending, 0.05);
  if (statistic == "q95") return error_of_quantile(ascending, 0.95);
  if (statistic == "live_share") return error_of_live_share(ascending, value, unit);
  return error_of_share(value, ascending.size());
}

}  // namespace

std::vector<Estimate> estimates(std::span<double> values, bool magnitude) {
  const probes::Summary summary = probes::summarise(values);
  std::sort(values.begin(), values.end());  // errors of quantiles come from order statistics
  std::vector<Estimate> all;
  for (const probes::StatisticName& statistic : probes::statistic_names) {
    if (!magnitude && statistic.of_magnitudes_only) continue;
    const double value = summary.*statistic.value;
    all.push_back({statistic.name, value, standard_error(statistic.name, value, values)});
  }
  return all;
}

Estimate share(std::span<const double> indicators) {
  const double ones = static_cast<double>(std::count(indicators.begin(), indicators.end(), 1.0));
  const double mean = ones / static_cast<double>(indicators.size());
  return {"mean", mean, error_of_share(mean, indicators.size())};
}

std::array<Estimate, 3> score_estimates(std::span<const std::array<double, 4>> group_moments) {
  using Moments = std::array<double, 4>;
  Moments m{};
  for (const Moments& group : group_moments) {
    for (std::size_t i = 0; i < m.size(); ++i) {
      m[i] += group[i] / static_cast<double>(group_moments.size());
    }
  }
  const double mean = m[0];
  const auto second = [=](const Moments& g) { return g[1] - 2 * mean * g[0] + mean * mean; };
  const auto fourth = [=](const Moments& g) {
    return g[3] - 4 * mean * g[2] + 6 * mean * mean * g[1] - 4 * mean * mean * mean * g[0] +
           mean * mean * mean * mean;
  };
  const double variance = second(m), kurtosis = fourth(m) / (variance * variance);
  // To first order; the error of the mean counts for nothing in a symmetric distribution.
  const auto kurtosis_of_group = [=](const Moments& g) {
    return fourth(g) / (variance * variance) - 2 * kurtosis * second(g) / variance;
  };
  return {{{"mean", mean, error_of_mean(group_moments, [](const Moments& g) { return g[0]; })},
           {"variance", variance, error_of_mean(group_moments, second)},
           {"kurtosis", kurtosis, error_of_mean(group_moments, kurtosis_of_group)}}};
}

}  // namespace rootdk
