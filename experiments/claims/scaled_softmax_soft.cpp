// The softmax of scaled scores, from narrow to wide heads.
#include "claims/query_statistics.hpp"
#include "claims/table.hpp"
#include "rootdk/elementary.hpp"
#include "rootdk/theory/score_gap.hpp"

namespace rootdk::claims {
namespace {

constexpr std::string_view purpose = "claims/scaled_softmax_soft";

std::vector<double> jacobian_norms(const Budget& budget, const QuerySetting& setting) {
  return over_queries(budget, purpose, setting, [](const probes::SoftmaxTail& tail, auto, double) {
    return probes::softmax_jacobian_norm(tail);
  });
}

// Stein's identity: E sum_j p_j z_j = E sigma^2 (1 - sum p^2), at every n, d_k and scale.
Estimate stein_difference(const Budget& budget, const QuerySetting& setting) {
  return mean_of(
      over_queries(budget, purpose, setting,
                   [](const probes::SoftmaxTail& tail, std::span<const double> z, double sigma) {
                     double top = z[0], weighted = 0, sum = 0;
                     for (const double x : z) top = std::max(top, x);
                     for (const double x : z) {
                       const double e = elementary::exp(x - top);
                       weighted += e * x;
                       sum += e;
                     }
                     return weighted / sum -
                            sigma * sigma * (1 - 1 / probes::concentration(tail).effective_keys);
                   }));
}

std::vector<Statistic> measure(const Budget& budget) {
  const QuerySetting narrow{.d_k = 64, .scaled = true}, wide{.d_k = 1024, .scaled = true};
  std::vector<double> low = jacobian_norms(budget, narrow), high = jacobian_norms(budget, wide);
  std::vector<double> many = jacobian_norms(budget, {.n_keys = 64, .d_k = 1024, .scaled = true});
  const theory::ScoreGap gap(wide.n_keys, wide.d_k, 1 / std::sqrt(1024.0));
  return {{.name = "E|J|_F of the softmax, d_k 1024 over d_k 64, n 16, scaled",
           .claimed = at_least(0.9),
           .predicted = equals(1, 0.01),
           .measured = ratio_of(mean_of(high), mean_of(low))},
          {.name = "share of queries with |J|_F < 0.001, " + to_string(wide),
           .claimed = at_most(0.01),
           .predicted = equals(gap.survival(elementary::log(2000.0)), 1e-4),
           .measured = share_below(high, 1e-3)},
          {.name = "E(sum p z - sigma^2 (1 - sum p^2)), " + to_string(wide) + " (Stein's identity)",
           .predicted = equals(0),
           .measured = stein_difference(budget, wide),
           .detail = true},
          {.name = "median |J|_F, n 64 over n 16, d_k 1024, scaled: softness has a price in n",
           .predicted = at_most(1),
           .measured = ratio_of(median_of(many), median_of(high))}};
}

}  // namespace

constinit const Claim scaled_softmax_soft{
    .id = "scaled_softmax_soft",
    .sentence = "With the scale the softmax stays soft, so gradients pass through it.",
    .condition = "",
    .why = "Scaled scores spread by one at every d_k, so |J| depends on the number of keys only.",
    .measure = measure};

}  // namespace rootdk::claims
