// What pushes a softmax towards one-hot: the size of its inputs or their spread?
#include "claims/query_statistics.hpp"
#include "claims/small_attention.hpp"
#include "claims/table.hpp"
#include "rootdk/elementary.hpp"
#include "rootdk/theory/score_gap.hpp"

namespace rootdk::claims {
namespace {

double largest_weight(std::initializer_list<double> scores) {
  Tape<double> tape;
  const Var<double> p = softmax_rows(leaf_of<double>(tape, Shape{3}, scores));
  return *std::max_element(p.value().data, p.value().data + 3);
}

// p_max > 0.99 when the losers' exp(-gap) sum to less than 1/99. Where scores lie far apart the
// runner-up decides, so the gap must exceed ln 99; the other keys can only lower the share, and
// that by the order of 1 / d_k.
Statistic one_hot(const Budget& budget, const QuerySetting& setting) {
  const std::vector<double> doubt = over_queries(
      budget, "claims/large_numbers_one_hot", setting,
      [](const probes::SoftmaxTail& tail, auto, double) { return one_less_p_max(tail); });
  const double s = setting.scaled ? 1 / std::sqrt(static_cast<double>(setting.d_k)) : 1;
  const double share =
      theory::ScoreGap(setting.n_keys, setting.d_k, s).survival(elementary::log(99.0));
  return {.name = "P(p_max > 0.99), " + to_string(setting),
          .predicted = equals(share, 4 / static_cast<double>(setting.d_k)),
          .measured = share_below(doubt, 0.01)};
}

std::vector<Statistic> measure(const Budget& budget) {
  const double e = elementary::exp(-1.0);
  return {{.name = "largest weight of the scores 1000, 1000, 999",
           .claimed = at_least(0.99),
           .predicted = equals(1 / (2 + e), 1e-12),
           .measured = exact(largest_weight({1000, 1000, 999}))},
          {.name = "largest weight of the scores 1, 1, 0",
           .predicted = equals(1 / (2 + e), 1e-12),
           .measured = exact(largest_weight({1, 1, 0})),
           .detail = true},
          one_hot(budget, {.d_k = 64}),
          one_hot(budget, {.d_k = 1024}),
          one_hot(budget, {.d_k = 4096}),
          one_hot(budget, {.d_k = 4096, .scaled = true})};
}

}  // namespace

constinit const Claim large_numbers_one_hot{
    .id = "large_numbers_one_hot",
    .sentence = "Large numbers drive a softmax towards one-hot.",
    .condition = "",
    .why = "A shift of all scores changes nothing; what counts is how far the largest leads.",
    .measure = measure};

}  // namespace rootdk::claims
