// The variance of the scaled scores: of fresh queries and keys, with X for both, and after
// training.
#include "claims/dot_products.hpp"
#include "claims/table.hpp"
#include "claims/training_runs.hpp"
#include "rootdk/elementary.hpp"

namespace rootdk::claims {
namespace {

Statistic at_start(const Budget& budget, Index d) {
  return {.name = "Var(q.k / sqrt(d)), independent q and k, d " + std::to_string(d),
          .claimed = equals(1),
          .predicted = equals(1),
          .measured = scaled(variance_of(dot_products(budget, d)), 1 / static_cast<double>(d))};
}

// Scores x_i.x_j / sqrt(d) of n tokens from N(0, I). The n - 1 others give mean 0 and variance 1,
// a token itself |x|^2 / sqrt(d): mean sqrt(d), variance 2. Over all of them the mean is sqrt(d) /
// n and the variance (n - 1 + d + 2) / n - d / n^2.
Statistic with_itself(const Budget& budget) {
  constexpr Index n = 16, d = 64;
  const double n_tokens = n, width = d, mean = std::sqrt(width) / n_tokens;
  std::vector<double> X(n * d), squares;
  for (std::int64_t sequence = 0; sequence < budget.n_queries / n; ++sequence) {
    Stream stream = stream_of(budget, "claims/scaled_variance_one", sequence);
    fill_normal(stream, std::span(X));
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double z = 0;
        for (std::size_t c = 0; c < d; ++c) z += X[i * d + c] * X[j * d + c];
        z = z / std::sqrt(width) - mean;
        sum += z * z;
      }
    }
    squares.push_back(sum / (n_tokens * n_tokens));
  }
  return {.name = "Q = K = X: variance of the scaled scores, n 16, d 64",
          .claimed = equals(1),
          .predicted = equals((n_tokens + 1 + width) / n_tokens - width / (n_tokens * n_tokens)),
          .measured = mean_of(squares),
          .within_condition = false};
}

// A row that puts the weight h on one key has a score there that exceeds the mean of the n - 1
// others by g >= ln((n - 1) h / (1 - h)), for ln sum exp of the others is at least their mean plus
// ln(n - 1). Its variance is then at least (n - 1) g^2 / n^2. That is convex in h at n = 16, so it
// holds for the mean weight as well.
Statistic after_training(const Budget& budget) {
  constexpr double n = 16;
  const CellConfig config = lookup_config(16, "inv_sqrt_dk", 64, 1, 200);
  std::vector<double> variances;
  double hit = 0;
  for (const TrainingRun& run : train(budget, config)) {
    variances.push_back(run.last.logit_std * run.last.logit_std);
    hit += run.last.hit / static_cast<double>(budget.n_trainings);
  }
  const double lead = elementary::log((n - 1) * hit / (1 - hit));
  return {.name =
              "the same after 200 steps of lookup (n 16, d_k 64, SGD at lr 1); bound from the mean "
              "weight on the right key",
          .claimed = equals(1),
          .predicted = at_least((n - 1) * lead * lead / (n * n)),
          .measured = mean_of_trainings(variances),
          .within_condition = false};
}

std::vector<Statistic> measure(const Budget& budget) {
  Statistic narrow = at_start(budget, 1);
  narrow.detail = true;
  return {narrow, at_start(budget, 16), at_start(budget, 64), with_itself(budget),
          after_training(budget)};
}

}  // namespace

constinit const Claim scaled_variance_one{
    .id = "scaled_variance_one",
    .sentence = "Divided by sqrt(d_k) the scores have variance one, however wide the head is.",
    .condition = "queries and keys are independent, as before training; not for Q = K = X",
    .why = "The factor undoes d_k, not what training does: to pick one key the scores must spread.",
    .measure = measure};

}  // namespace rootdk::claims
