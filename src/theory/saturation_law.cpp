#include "rootdk/theory/saturation_law.hpp"

#include <cmath>

#include "rootdk/theory/top_two_gap.hpp"

namespace rootdk::theory {
namespace {

using Law = std::optional<double>;

constexpr std::array<double, 3> levels{0.05, 0.5, 0.95};
constexpr std::array<std::string_view, 3> level_names{"q05", "median", "q95"};

// A quantity that saturates: sign * h + limit, with h of two_level_law.hpp.
struct Saturating {
  std::string_view name;
  RowStatistic h;
  double limit, sign;
};
constexpr std::array<Saturating, 6> saturating{{
    {"softmax_jacobian_norm", row::jacobian_norm, 0, 1},
    {"softmax_jacobian_spectral", row::jacobian_spectral, 0, 1},
    {"softmax_jacobian_trace", row::jacobian_trace, 0, 1},
    {"p_max", row::one_less_p_max, 1, -1},
    {"entropy", row::entropy, 0, 1},
    {"effective_keys", row::effective_keys_less_one, 1, 1},
}};

const Saturating* find(std::string_view quantity) {
  for (const Saturating& each : saturating) {
    if (each.name == quantity) return &each;
  }
  return nullptr;
}

// The gap beyond which 2 p q = 2 x / (1 + x)^2, x = exp(-gap), is below `bound` < 1/2:
// x = ((1 - b) - sqrt(1 - 2 b)) / b = b / ((1 - b) + sqrt(1 - 2 b)), about b / 2.
double gap_at(double bound) { return -std::log(bound / ((1 - bound) + std::sqrt(1 - 2 * bound))); }

}  // namespace

SaturationLaw::SaturationLaw(std::int64_t n, std::int64_t d_k, double scale)
    : n_(static_cast<double>(n)),
      d_(static_cast<double>(d_k)),
      s_(std::fabs(scale)),
      keys_(n),
      d_k_(d_k),
      gap_(n, d_k, scale) {
  const double sigma = s_ * std::sqrt(d_);
  const bool saturated = sigma >= 2 * std::sqrt(2 * std::log(n_)) && d_k >= 3;
  regime_ = saturated ? Regime::saturated : sigma <= 0.25 ? Regime::weak : Regime::between;
  for (std::size_t i = 0; i < levels.size(); ++i) gap_quantiles_[i] = gap_.quantile(levels[i]);
}

Law SaturationLaw::operator()(std::string_view quantity, std::string_view statistic) const {
  if (quantity == "logit") return of_scores(statistic);
  if (quantity == "top_two_gap") return of_gap(statistic);
  if (statistic == "mean") {
    // A float weight of the winner rounds to 1 when the others sum to less than 2^-24, and exp of
    // -103.97 = ln 2^-150 rounds to 0.
    if (quantity == "float32_weight_one") return gap_.survival(24 * std::log(2.0));
    if (quantity == "float32_row_zero") return gap_.survival(150 * std::log(2.0));
    if (saturated()) return saturated_mean(quantity);
    return weak() ? weak_mean(quantity) : std::nullopt;
  }
  if (statistic == "rms") {
    if (saturated()) return saturated_rms(quantity);
    return weak() ? weak_rms(quantity) : std::nullopt;
  }
  if (!saturated()) return std::nullopt;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (statistic == level_names[i]) return saturated_quantile(quantity, i);
  }
  if (statistic == "dead_1e-3") return saturated_share(quantity, 1e-3);
  if (statistic == "dead_1e-6") return saturated_share(quantity, 1e-6);
  if (statistic == "live_share" && quantity == "softmax_jacobian_norm") {
    // (E h^2)^2 / E h^4, about (1/3)^2 / (2/35) mu_n / sigma
    const double second = two_level(row::jacobian_norm_square);
    return second * second / two_level(row::jacobian_norm_fourth);
  }
  return std::nullopt;
}

// A product of normals has mean 0 and variance 1 and, squared, the mean square 9; a sum of d_k such
// has the kurtosis 3 + (9 - 3) / d_k.
Law SaturationLaw::of_scores(std::string_view statistic) const {
  if (statistic == "mean") return 0;
  if (statistic == "variance") return s_ * s_ * d_;
  if (statistic == "kurtosis" && s_ > 0) return 3 * (1 + 2 / d_);
  return std::nullopt;
}

Law SaturationLaw::of_gap(std::string_view statistic) const {
  if (statistic == "mean") return gap_.mean();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (statistic == level_names[i]) return gap_quantiles_[i];
  }
  return std::nullopt;
}

// E h over sigma = s chi_d.
double SaturationLaw::two_level(RowStatistic h) const {
  const TwoLevelLaw law = two_level_law(h, keys_);
  return law.A * mean_of_largest(keys_) * mean_inverse_length(d_k_) / s_ +
         law.C * mean_inverse_square_length(d_k_) / (s_ * s_);
}

// dL/dq = s sum_j dz_j k_j with dz = J a. Along q the keys are what made the scores; in the d_k - 1
// other directions they know nothing of dz, and so |dL/dq|^2 is s^2 |J a|^2 chi^2_(d-1) but for
// that one direction, which counts O(1/d_k). Here a has unit variance per key (lin), or is p -
// e_tau (mse).
double SaturationLaw::key_length() const { return s_ * std::sqrt(d_ - 1); }

Law SaturationLaw::saturated_mean(std::string_view quantity) const {
  if (const Saturating* each = find(quantity)) return each->limit + each->sign * two_level(each->h);
  const double length = s_ * mean_length(d_k_ - 1);
  if (quantity == "query_grad_norm_lin") return length * two_level(row::jacobian_norm);
  if (quantity == "query_grad_norm_mse") return length * two_level(row::mse_norm);
  return std::nullopt;
}

Law SaturationLaw::saturated_rms(std::string_view quantity) const {
  if (quantity == "softmax_jacobian_norm") return std::sqrt(two_level(row::jacobian_norm_square));
  if (quantity == "query_grad_norm_lin") {
    return key_length() * std::sqrt(two_level(row::jacobian_norm_square));
  }
  if (quantity == "query_grad_norm_mse") {
    return key_length() * std::sqrt(two_level(row::mse_norm_square));
  }
  if (quantity == "query_grad_norm_attn_ce") {
    // dz = p - e_tau: over tau, |dz|^2 has the mean 2 (1 - 1/n) - tr J. Along q the winner's x_(1)
    // stands against the target's x_tau, with E (x_(1) - x_tau)^2 = E x_(1)^2 + 1 - 2/n.
    const double others = (d_ - 1) * (2 - 2 / n_ - two_level(row::jacobian_trace));
    return s_ * std::sqrt(others + mean_square_of_largest(keys_) + 1 - 2 / n_);
  }
  return std::nullopt;
}

// Every h decreases as the gap grows: its quantile is h at the opposite quantile of the gap.
Law SaturationLaw::saturated_quantile(std::string_view quantity, std::size_t level) const {
  const auto h_at = [&](RowStatistic h, std::size_t i) {
    return h({std::exp(-gap_quantiles_[i]), 0, n_});
  };
  const std::size_t opposite = levels.size() - 1 - level;
  if (const Saturating* each = find(quantity)) {
    return each->limit + each->sign * h_at(each->h, each->sign > 0 ? opposite : level);
  }
  if (quantity == "query_grad_norm_lin") return key_length() * h_at(row::jacobian_norm, opposite);
  return std::nullopt;
}

Law SaturationLaw::saturated_share(std::string_view quantity, double bound) const {
  if (quantity.starts_with("softmax_jacobian_")) return gap_.survival(gap_at(bound));
  if (quantity == "query_grad_norm_lin") return gap_.survival(gap_at(bound / key_length()));
  return std::nullopt;
}

// p_j = (1 + sigma y_j + sigma^2 (y_j^2 - mean y^2) / 2) / n with y_j = x_j less the mean of the x.
// With v = sigma^2 (1 - 1/n), the mean of sigma^2 sum_j y_j^2 / n:
//   n sum p^2 = 1 + v,  n^2 sum p^3 = 1 + 3 v,  and so  |J|_F^2 = (n - 1 + v (n - 4)) / n^2.
Law SaturationLaw::weak_rms(std::string_view quantity) const {
  const double v = s_ * s_ * d_ * (1 - 1 / n_);
  const double jacobian_norm = std::sqrt(n_ - 1 + v * (n_ - 4)) / n_;
  if (quantity == "softmax_jacobian_norm") return jacobian_norm;
  const double length = s_ * std::sqrt(d_);
  if (quantity == "query_grad_norm_lin") return length * jacobian_norm;
  if (quantity == "query_grad_norm_mse") return length * jacobian_norm / std::sqrt(n_);
  if (quantity == "query_grad_norm_attn_ce") return length * std::sqrt(1 - 1 / n_);
  return std::nullopt;
}

Law SaturationLaw::weak_mean(std::string_view quantity) const {
  const double square = s_ * s_ * d_, v = square * (1 - 1 / n_);
  if (quantity == "softmax_jacobian_norm") return weak_rms(quantity);  // the same to second order
  if (quantity == "softmax_jacobian_trace") return 1 - (1 + v) / n_;
  if (quantity == "entropy") return std::log(n_) - v / 2;
  if (quantity == "effective_keys") return n_ * (1 - v);
  if (quantity == "p_max") {
    return (1 + s_ * mean_length(d_k_) * mean_of_largest(keys_) +
            square * (mean_square_of_largest(keys_) - 1) / 2) /
           n_;
  }
  return std::nullopt;
}

}  // namespace rootdk::theory
