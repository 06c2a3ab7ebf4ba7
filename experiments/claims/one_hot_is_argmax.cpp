// How fast an unscaled softmax turns into the choice of its largest score.
#include "claims/query_statistics.hpp"
#include "claims/table.hpp"
#include "rootdk/theory/score_gap.hpp"
#include "rootdk/theory/top_two_gap.hpp"
#include "rootdk/theory/two_level_law.hpp"

namespace rootdk::claims {
namespace {

double law(Index n, Index d) {
  const theory::TwoLevelLaw law = theory::two_level_law(theory::row::one_less_p_max, n);
  return law.A * theory::mean_of_largest(n) * theory::mean_inverse_length(d) +
         law.C * theory::mean_inverse_square_length(d);
}

Estimate doubt(const Budget& budget, Index d) {
  return mean_of(over_queries(
      budget, "claims/one_hot_is_argmax", {.d_k = d},
      [](const probes::SoftmaxTail& tail, auto, double) { return one_less_p_max(tail); }));
}

std::vector<Statistic> measure(const Budget& budget) {
  constexpr Index n = 16, narrow = 256, wide = 4096;
  const Estimate low = doubt(budget, narrow), high = doubt(budget, wide);
  return {
      {.name = "E(1 - p_max), n 16, d_k 256, unscaled",
       .predicted = equals(law(n, narrow), 0.01 * law(n, narrow)),
       .measured = low,
       .detail = true},
      {.name = "E(1 - p_max), n 16, d_k 4096, unscaled",
       .claimed = at_most(0.05),
       .predicted = equals(law(n, wide), 0.01 * law(n, wide)),
       .measured = high},
      {.name =
           "E(1 - p_max), d_k 4096 over d_k 256, n 16, unscaled: 1/4 if it falls as 1/sqrt(d_k)",
       .claimed = at_most(0.5),
       .predicted = equals(law(n, wide) / law(n, narrow), 0.005),
       .measured = ratio_of(high, low)}};
}

}  // namespace

constinit const Claim one_hot_is_argmax{
    .id = "one_hot_is_argmax",
    .sentence = "A softmax that is nearly one-hot does nearly what argmax does.",
    .condition = "",
    .why = "What the largest key lacks to weight one falls as ln 2 E max_n / sqrt(d_k).",
    .measure = measure};

}  // namespace rootdk::claims
