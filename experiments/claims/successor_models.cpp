#include "claims/successor_models.hpp"

#include <algorithm>
#include <stdexcept>

#include "common/interventions.hpp"
#include "rootdk/training/training_cell.hpp"

namespace rootdk::claims {
namespace {

const Intervention<float>& find_intervention(std::string_view name) {
  for (const Intervention<float>& row : interventions<float>()) {
    if (row.name == name) return row;
  }
  throw std::out_of_range("no intervention " + std::string(name));
}

std::shared_ptr<Projections<float>> copy_of(const CellConfig& config,
                                            const Projections<float>* weights) {
  const TaskInfo info = find_task(config.task).info(config.task_parameters);
  auto copy = std::make_shared<Projections<float>>(info.d_model, config.d_k, info.d_v,
                                                   config.task_parameters.seed);
  if (weights == nullptr) return copy;
  const std::array from{&weights->w_q, &weights->w_k, &weights->w_v};
  for (std::size_t m = 0; m < from.size(); ++m) {
    const View<const float> value = from[m]->value();
    std::copy_n(value.data, value.shape.size(), copy->all()[m]->value().data);
  }
  return copy;
}

}  // namespace

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
  model.weights_ = copy_of(config, nullptr);
  return model;
}

SuccessorModel SuccessorModel::trained(const CellConfig& config) {
  SuccessorModel model(config);
  TrainingCell<float> cell(config);
  while (!cell.done()) cell.step();
  model.weights_ = copy_of(config, &cell.projections());
  return model;
}

Tally SuccessorModel::ask(std::string_view intervention, Relation relation, Index sequences) const {
  TaskParameters parameters = config_.task_parameters;
  parameters.relation = relation;
  const auto task = make_task<float>(config_.task, parameters);
  const auto changed = copy_of(config_, weights_.get());
  find_intervention(intervention).apply(*changed, parameters.seed);
  RetrievalGraph<float> graph(
      *changed, task->info(), parameters.batch_size, parameters.n_tokens,
      {.rule = score_rule(config_.scale), .gemm = config_.gemm, .projections = config_.projections},
      Weights::frozen);
  return evaluate(*task, graph, sequences);
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
