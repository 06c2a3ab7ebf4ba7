// Trained models with matrices exchanged or rotated: which matrix has become what?
#include "claims/successor_models.hpp"
#include "claims/table.hpp"

namespace rootdk::claims {
namespace {

// Exchanging W_Q and W_K transposes M = W_Q W_K^T: a model that scores the successor of a symbol
// highest then scores its predecessor highest. A rotation of both leaves M as it is.
std::vector<Statistic> measure(const Budget& budget) {
  const auto models = train_successor(budget, ProjectionKind::untied);
  const double chance = 1 / 12.0;
  return {
      {.name = "accuracy, " + std::string(successor_text),
       .claimed = at_least(0.99),
       .predicted = at_least(0.99),
       .measured = accuracy(models, "none", Relation::successor)},
      {.name = "accuracy after the exchange of W_Q and W_K, asked for the successor",
       .claimed = at_most(0.5),
       .predicted = equals(0, 0.01),
       .measured = accuracy(models, "swap_q_k", Relation::successor)},
      {.name = "accuracy after the exchange of W_Q and W_K, asked for the predecessor",
       .predicted = at_least(0.99),
       .measured = accuracy(models, "swap_q_k", Relation::predecessor)},
      {.name = "accuracy after the same rotation of W_Q and W_K, asked for the successor",
       .predicted = at_least(0.99),
       .measured = accuracy(models, "rotate_q_k", Relation::successor)},
      {.name = "accuracy after the exchange of W_K and W_V, asked for the successor; chance 1/12",
       .claimed = at_most(0.5),
       .predicted = at_most(chance),
       .measured = accuracy(models, "swap_k_v", Relation::successor),
       .detail = true}};
}

}  // namespace

constinit const Claim roles_after_training{
    .id = "roles_after_training",
    .sentence = "Training gives each of the three matrices a job of its own.",
    .condition = "",
    .why =
        "With W_Q and W_K exchanged the model answers the reverse question; what is learned is "
        "W_Q W_K^T, so a rotation of both changes nothing.",
    .measure = measure,
    .cost = 50};

}  // namespace rootdk::claims
