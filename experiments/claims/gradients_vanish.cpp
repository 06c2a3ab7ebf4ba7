// The gradient of a query, |dL/dq|, without the scale: of the typical query, and on average.
#include "claims/query_statistics.hpp"
#include "claims/table.hpp"
#include "rootdk/elementary.hpp"
#include "rootdk/theory/score_gap.hpp"
#include "rootdk/theory/top_two_gap.hpp"
#include "rootdk/theory/two_level_law.hpp"

namespace rootdk::claims {
namespace {

constexpr QuerySetting setting{.n_keys = 16, .d_k = 1024};

// dL/dq = sum_j dz_j k_j, dz = J a. For a ~ N(0, I) its square is, on average over a and over the
// d_k - 1 directions of the keys across q, (d_k - 1) |J|_F^2 + |J g|^2 with g = z / sigma along q.
// The second term is of the order 1 / d_k beside the first.
double query_gradient(double jacobian_norm, double d_k) {
  return std::sqrt(d_k - 1) * jacobian_norm;
}

double mean_by_law(theory::RowStatistic of) {
  const theory::TwoLevelLaw law = theory::two_level_law(of, setting.n_keys);
  return law.A * theory::mean_of_largest(setting.n_keys) *
             theory::mean_inverse_length(setting.d_k) +
         law.C * theory::mean_inverse_square_length(setting.d_k);
}

std::vector<Statistic> measure(const Budget& budget) {
  const auto d = static_cast<double>(setting.d_k);
  std::vector<double> norms = over_queries(budget, "claims/gradients_vanish", setting,
                                           [](const probes::SoftmaxTail& tail, auto, double) {
                                             return probes::softmax_jacobian_norm(tail);
                                           });
  const Estimate dead = share_below(norms, 1e-6);
  for (double& x : norms) x = query_gradient(x, d);
  const theory::ScoreGap gap(setting.n_keys, setting.d_k, 1);
  const double x = elementary::exp(-gap.quantile(0.5));
  const double median = query_gradient(2 * x / ((1 + x) * (1 + x)), d);
  const double mean = query_gradient(mean_by_law(theory::row::jacobian_norm), d);
  const double rms = query_gradient(std::sqrt(mean_by_law(theory::row::jacobian_norm_square)), d);
  const double dead_by_law = gap.survival(elementary::log(2e6));
  const Estimate mean_norm = mean_of(norms), rms_norm = rms_of(norms);
  const std::string gradient =
      " over queries of |dL/dq| for dL/dA ~ N(0, I), " + to_string(setting);
  return {{.name = "median" + gradient,
           .claimed = at_most(0.01),
           .predicted = equals(median, 0.1 * median),
           .measured = median_of(norms)},
          {.name = "share of queries with |J|_F < 1e-6, " + to_string(setting),
           .claimed = at_least(0.25),
           .predicted = equals(dead_by_law, 0.01),
           .measured = dead},
          {.name = "mean" + gradient + ": tends to the mean of the largest of n normals",
           .claimed = at_most(0.01),
           .predicted = equals(mean, 0.01 * mean),
           .measured = mean_norm,
           .within_condition = false},
          {.name = "rms" + gradient + ": grows as d_k^(1/4)",
           .claimed = at_most(0.01),
           .predicted = equals(rms, 0.01 * rms),
           .measured = rms_norm,
           .within_condition = false}};
}

}  // namespace

constinit const Claim gradients_vanish{
    .id = "gradients_vanish",
    .sentence = "Without the scale gradients vanish as d_k grows.",
    .condition = "the typical query is meant, not the mean over queries nor the norm of dL/dW_Q",
    .why =
        "Most rows are decided, but the few that are not carry keys of length sqrt(d_k), which "
        "keep the mean and make the rms grow.",
    .measure = measure};

}  // namespace rootdk::claims
