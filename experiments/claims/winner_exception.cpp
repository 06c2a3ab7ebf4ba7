// The gradient dz = J a that reaches the scores of an unscaled row, at the winner and elsewhere.
#include <algorithm>

#include "claims/query_statistics.hpp"
#include "claims/small_attention.hpp"
#include "claims/table.hpp"
#include "rootdk/elementary.hpp"
#include "rootdk/theory/score_gap.hpp"

namespace rootdk::claims {
namespace {

constexpr QuerySetting setting{.n_keys = 16, .d_k = 1024};
constexpr std::string_view purpose = "claims/winner_exception";

struct WinnersPart {
  std::vector<double> slope, of_norm, of_largest_loser;
};

// dz_i = p_i sum_j p_j (a_i - a_j) for a ~ N(0, I): differences first, so that a saturated row
// keeps its digits. Winner and largest loser share the factor exp of the gap, so quotients do not
// vanish.
WinnersPart winners_part(const Budget& budget) {
  WinnersPart part;
  std::vector<double> a(setting.n_keys), e(setting.n_keys), dz(setting.n_keys);
  for_each_query(budget, purpose, setting, [&](std::span<const double> z, double, Stream& stream) {
    fill_normal(stream, std::span(a));
    const auto winner = static_cast<std::size_t>(std::max_element(z.begin(), z.end()) - z.begin());
    const probes::SoftmaxTail tail = probes::softmax_tail(z);
    for (std::size_t j = 0; j < z.size(); ++j) e[j] = elementary::exp(z[j] - z[winner]);
    double square = 0, loser = 0;
    for (std::size_t i = 0; i < z.size(); ++i) {
      dz[i] = 0;
      for (std::size_t j = 0; j < z.size(); ++j) dz[i] += e[i] * e[j] * (a[i] - a[j]);
      // In units of the runner-up's weight: no square underflows.
      dz[i] /= tail.e_2;
      square += dz[i] * dz[i];
      if (i != winner) loser = std::max(loser, std::abs(dz[i]));
    }
    part.slope.push_back(one_less_p_max(tail) / tail.T());
    part.of_norm.push_back(std::abs(dz[winner]) / std::sqrt(square));
    part.of_largest_loser.push_back(std::abs(dz[winner]) / loser);
  });
  return part;
}

// Rows whose winner gets exactly 0 from the engine in float32.
Estimate exact_zeros(const Budget& budget) {
  constexpr Index rows = 1000;
  Tape<float> tape;
  const Var<float> z = tape.variable(Shape{rows, setting.n_keys});
  const Var<float> p = softmax_rows(z);
  std::vector<float> a(static_cast<std::size_t>(rows * setting.n_keys));
  const View<const float> cotangent(a.data(), p.shape());
  Index filled = 0;
  std::int64_t zeros = 0, total = 0;
  for_each_query(
      budget, purpose, setting, [&](std::span<const double> scores, double, Stream& stream) {
        float* row = z.writable_value().row(filled);
        std::transform(scores.begin(), scores.end(), row,
                       [](double x) { return static_cast<float>(x); });
        fill_normal(stream, std::span(a).subspan(static_cast<std::size_t>(filled * setting.n_keys),
                                                 static_cast<std::size_t>(setting.n_keys)));
        if (++filled < rows) return;
        filled = 0;
        tape.replay();
        tape.backward(p, cotangent);
        for (Index r = 0; r < rows; ++r) {
          const float* values = z.value().row(r);
          zeros += z.grad().row(r)[std::max_element(values, values + setting.n_keys) - values] == 0
                       ? 1
                       : 0;
        }
        total += rows;
      });
  return share_of(zeros, std::max<std::int64_t>(total, 1));
}

std::vector<Statistic> measure(const Budget& budget) {
  const theory::ScoreGap gap(setting.n_keys, setting.d_k, 1);
  const double x = elementary::exp(-gap.quantile(0.5)), slope = x / ((1 + x) * (1 + x));
  const double ln_2 = 0.693147180559945309417;
  WinnersPart part = winners_part(budget);
  return {
      {.name = "median dp/dz of the winner with respect to its own score, " + to_string(setting),
       .claimed = at_least(0.01),
       .predicted = equals(slope, 0.1 * slope),
       .measured = median_of(part.slope)},
      {.name = "median of |dz_winner| over the largest of the losers",
       .claimed = at_least(10),
       .predicted = equals(1, 0.01),
       .measured = median_of(part.of_largest_loser)},
      {.name = "median of |dz_winner| / |dz|",
       .claimed = at_least(0.99),
       .predicted = equals(1 / std::sqrt(2.0), 0.005),
       .measured = median_of(part.of_norm),
       .detail = true},
      {.name = "share of rows whose winner gets exactly 0 in float32; bound P(gap > 24 ln 2)",
       .claimed = equals(0),
       .predicted = at_most(gap.survival(24 * ln_2)),
       .measured = exact_zeros(budget)}};
}

}  // namespace

constinit const Claim winner_exception{
    .id = "winner_exception",
    .sentence =
        "Through a nearly one-hot softmax gradients are close to zero for every score but the "
        "winner's.",
    .condition = "",
    .why =
        "The entries of dz sum to zero, so the winner gets no more than all the losers together; "
        "in float32 it is the first to be exactly 0.",
    .measure = measure};

}  // namespace rootdk::claims
