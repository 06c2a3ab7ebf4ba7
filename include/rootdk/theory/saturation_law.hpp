#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "rootdk/theory/score_gap.hpp"
#include "rootdk/theory/two_level_law.hpp"

namespace rootdk::theory {

// What softmax over n keys should look like before any training: q and keys from N(0, I), d_k wide,
// scores z_j = s q . k_j. Given q the scores are normals of standard deviation sigma = |s| chi_d,
// and the law depends on where sigma lies on the way from uniform weights to one-hot ones:
//
//   saturated  |s| sqrt(d) >= 2 sqrt(2 ln n), twice the critical value of the random energy model
//              (B. Derrida, Phys. Rev. B 24, 1981), and d_k >= 3: the two-level law for means, the
//              exact law of the gap for quantiles and dead shares
//   weak       |s| sqrt(d) <= 1/4: an expansion to second order in sigma
//   between    no law but the exact ones: of the scores, and of their top-two gap
//
// Where a quantity has no law there is none: nothing is interpolated. In the saturated regime means
// of norms are right to 2 % at d_k = 64 (n = 16), 6 % (n = 64), and within 2 % from d_k = 256 on
// without a scale; quantiles of norms, which leave out a third key, within 15 % at d_k = 64 and
// 5 % from 1024 on.
class SaturationLaw {
 public:
  SaturationLaw(std::int64_t n, std::int64_t d_k, double scale);

  // By the names a log has: of quantities (softmax_jacobian_norm, p_max, ...) and of statistics
  // (mean, median, dead_1e-3, ...). Nothing where no law is known.
  std::optional<double> operator()(std::string_view quantity, std::string_view statistic) const;

  bool saturated() const { return regime_ == Regime::saturated; }
  bool weak() const { return regime_ == Regime::weak; }

 private:
  enum class Regime { weak, between, saturated };

  std::optional<double> of_scores(std::string_view statistic) const;
  std::optional<double> of_gap(std::string_view statistic) const;
  std::optional<double> saturated_mean(std::string_view quantity) const;
  std::optional<double> saturated_rms(std::string_view quantity) const;
  std::optional<double> saturated_quantile(std::string_view quantity, std::size_t level) const;
  std::optional<double> saturated_share(std::string_view quantity, double bound) const;
  std::optional<double> weak_mean(std::string_view quantity) const;
  std::optional<double> weak_rms(std::string_view quantity) const;
  double two_level(RowStatistic h) const;
  double key_length() const;

  double n_, d_, s_;  // s = |scale|
  std::int64_t keys_, d_k_;
  ScoreGap gap_;
  Regime regime_;
  std::array<double, 3> gap_quantiles_{};  // at 0.05, 0.5, 0.95
};

}  // namespace rootdk::theory
