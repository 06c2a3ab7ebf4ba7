// What can still be learned when Q = K = V = X, or when queries and keys share one matrix.
#include "claims/successor_models.hpp"
#include "claims/table.hpp"

namespace rootdk::claims {
namespace {

// A score that is symmetric answers at most two of the three questions of a cycle
// (tasks/successor.hpp): with one matrix for queries and keys, that is with a trained embedding in
// front of Q = K, accuracy is at most 2/3.
std::vector<Statistic> measure(const Budget& budget) {
  const CellConfig config = successor_config(ProjectionKind::none, budget.seed);
  const TaskInfo info = find_task(config.task).info(config.task_parameters);
  Projections<float> projections(info.d_model, config.d_k, info.d_v, budget.seed);
  const auto left = trained(projections, ProjectionKind::none);
  const auto none = train_successor(budget, ProjectionKind::none);
  const auto tied = train_successor(budget, ProjectionKind::tied);
  return {{.name = "matrices left to train with Q = K = V = X, embeddings and readout fixed",
           .claimed = equals(0),
           .predicted = equals(0),
           .measured = exact(static_cast<double>(left.size()))},
          {.name = "accuracy with Q = K = V = X, successor, 12 tokens",
           .claimed = at_most(1 / 3.0),
           .predicted = at_most(2 / 3.0),
           .measured = accuracy(none, "none", Relation::successor)},
          {.name = "accuracy with a trained embedding, the same for Q and K (tied), " +
                   std::string(successor_text) + "; chance 1/12",
           .claimed = at_most(1 / 12.0),
           .predicted = at_most(2 / 3.0),
           .measured = accuracy(tied, "none", Relation::successor),
           .within_condition = false}};
}

}  // namespace

constinit const Claim no_projections{
    .id = "no_projections",
    .sentence = "Without the projections there is nothing left that could learn.",
    .condition = "embeddings and readout are fixed",
    .why =
        "A trained embedding learns too, but a symmetric score answers at most two questions of "
        "three.",
    .measure = measure,
    .cost = 50};

}  // namespace rootdk::claims
