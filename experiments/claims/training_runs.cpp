#include "claims/training_runs.hpp"

namespace rootdk::claims {
namespace {

template <class T>
TrainingRun train_one(const CellConfig& config) {
  TrainingCell<T> cell(config);
  while (!cell.done()) cell.step();
  return {cell.result(), cell.steps().empty() ? StepRow{} : cell.steps().back()};
}

}  // namespace

CellConfig lookup_config(Index n_tokens, std::string_view scale, Index d_k, double lr,
                         Index steps) {
  CellConfig config;
  config.task = "lookup";
  config.task_parameters.n_tokens = n_tokens;
  config.task_parameters.slot_dim = n_tokens;
  config.scale = scale;
  config.d_k = d_k;
  config.optimizer_config.lr = lr;
  config.steps = steps;
  config.log_every = 10;
  config.evaluate_every = steps;
  config.evaluation_sequences = 64;
  return config;
}

std::vector<TrainingRun> train(const Budget& budget, const CellConfig& config) {
  std::vector<TrainingRun> runs;
  CellConfig mine = config;
  for (std::int64_t t = 0; t < budget.n_trainings; ++t) {
    budget.tick();
    mine.task_parameters.seed = budget.seed + static_cast<std::uint64_t>(t);
    runs.push_back(budget.single_precision ? train_one<float>(mine) : train_one<double>(mine));
  }
  return runs;
}

}  // namespace rootdk::claims
