#include "claims/successor_models.hpp"

#include "common/model_weights.hpp"
#include "rootdk/named.hpp"
#include "rootdk/training/training_cell.hpp"

namespace rootdk::claims {

CellConfig successor_config(ProjectionKind kind, std::uint64_t seed) {
  CellConfig config;
  config.task = "successor";
  config.task_parameters = {.n_tokens = 12,
                            .slot_dim = 32,
                            .n_classes = 32,
                            .n_keys = 24,
                            .batch_size = 64,
                            .seed = seed};
  config.d_k = 32;
  config.projections = kind;
  config.optimizer = "adam";
  config.optimizer_config.lr = 0.003;
  config.steps = config.log_every = config.evaluate_every = 1000;
  config.evaluation_sequences = 1;
  return config;
}

SuccessorModel::SuccessorModel(const CellConfig& config) : config_(config) {}

SuccessorModel SuccessorModel::untrained(const CellConfig& config) {
  SuccessorModel model(config);
  model.weights_ = initial_weights<float>(config);
  return model;
}

SuccessorModel SuccessorModel::trained(const CellConfig& config) {
  SuccessorModel model(config);
  TrainingCell<float> cell(config);
  while (!cell.done()) cell.step();
  model.weights_ = copy_of(cell.projections());
  return model;
}

Tally SuccessorModel::ask(std::string_view intervention, Relation relation, Index sequences) const {
  const auto changed = changed_by(row_named(interventions<float>(), "intervention", intervention),
                                  *weights_, config_.task_parameters.seed);
  return rootdk::ask(config_, *changed, relation, sequences);
}

std::vector<SuccessorModel> train_successor(const Budget& budget, ProjectionKind kind) {
  std::vector<SuccessorModel> models;
  for (std::int64_t t = 0; t < budget.n_trainings; ++t) {
    budget.tick();
    const CellConfig config = successor_config(kind, budget.seed + static_cast<std::uint64_t>(t));
    models.push_back(kind == ProjectionKind::none ? SuccessorModel::untrained(config)
                                                  : SuccessorModel::trained(config));
  }
  return models;
}

Estimate accuracy(const std::vector<SuccessorModel>& models, std::string_view intervention,
                  Relation relation) {
  constexpr Index sequences = 2048;
  Tally all;
  for (const SuccessorModel& model : models) {
    const Tally tally = model.ask(intervention, relation, sequences);
    all.correct += tally.correct;
    all.asked += tally.asked;
  }
  return share_of(all.correct, all.asked);
}

}  // namespace rootdk::claims
