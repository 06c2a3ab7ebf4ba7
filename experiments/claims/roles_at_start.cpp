// Exchange W_Q and W_K of random models: what stays the same, and what does not.
#include "claims/gaussian_queries.hpp"
#include "claims/successor_models.hpp"
#include "claims/table.hpp"

namespace rootdk::claims {
namespace {

// What the exchange does to the accuracy of an untrained model, over models: those that it makes
// better are as likely as those that it makes worse, for (W_Q, W_K) and (W_K, W_Q) have one law.
Estimate change_of_accuracy(const Budget& budget) {
  constexpr std::uint64_t models = 64;
  constexpr Index sequences = 256;
  std::vector<double> changes;
  for (std::uint64_t t = 0; t < models; ++t) {
    const auto model = SuccessorModel::untrained(
        successor_config(ProjectionKind::untied, budget.seed * models + t));
    changes.push_back(model.ask("untrained_swap_q_k", Relation::successor, sequences).accuracy() -
                      model.ask("untrained", Relation::successor, sequences).accuracy());
  }
  return mean_of(changes);
}

// The score of tokens x and y is z = x M y^T with M = W_Q W_K^T, and the exchange makes it
// z' = y M x^T. M has uncorrelated entries of variance v = d_k / m^2, so over models and pairs of
// different tokens E z^2 = m^2 v, E z z' = m v (the diagonal), E (z - z')^2 / E z^2 = 2 (1 - 1/m).
constexpr Index m = 16, d_k = 8;

Estimate change_of_scores(const Budget& budget) {
  std::vector<double> changes, x(m), y(m), W_q(m * d_k), W_k(m * d_k);
  for (std::int64_t model = 0; model < budget.n_queries / 2; ++model) {
    Stream stream = stream_of(budget, "claims/roles_at_start", model);
    fill_normal(stream, std::span(x));
    fill_normal(stream, std::span(y));
    fill_normal(stream, std::span(W_q), 1 / std::sqrt(static_cast<double>(m)));
    fill_normal(stream, std::span(W_k), 1 / std::sqrt(static_cast<double>(m)));
    double difference = 0;
    for (std::size_t c = 0; c < d_k; ++c) {
      double xq = 0, yk = 0, yq = 0, xk = 0;
      for (std::size_t a = 0; a < m; ++a) {
        xq += x[a] * W_q[a * d_k + c];
        yk += y[a] * W_k[a * d_k + c];
        yq += y[a] * W_q[a * d_k + c];
        xk += x[a] * W_k[a * d_k + c];
      }
      difference += xq * yk - yq * xk;
    }
    changes.push_back(difference * difference / static_cast<double>(d_k));
  }
  return mean_of(changes);
}

std::vector<Statistic> measure(const Budget& budget) {
  return {
      {.name =
           "exchange of W_Q and W_K: mean change of accuracy of 64 untrained models on successor",
       .claimed = equals(0),
       .predicted = equals(0),
       .measured = change_of_accuracy(budget)},
      {.name = "exchange of W_Q and W_K: mean square change of a score over its mean square, "
               "d_model 16, 2 (1 - 1/d_model)",
       .claimed = equals(0),
       .predicted = equals(2 * (1 - 1 / static_cast<double>(m))),
       .measured = change_of_scores(budget),
       .within_condition = false}};
}

}  // namespace

constinit const Claim roles_at_start{
    .id = "roles_at_start",
    .sentence = "Before training nothing tells the roles apart, for all three matrices are random.",
    .condition = "their distribution is meant, not the function that one draw of them computes",
    .why =
        "Exchanging W_Q and W_K gives another draw from the same law, but it transposes the "
        "scores.",
    .measure = measure,
    .cost = 5};

}  // namespace rootdk::claims
