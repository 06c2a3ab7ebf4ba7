#include "rootdk/training/training_cell.hpp"

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "rootdk/probes/row_sums.hpp"
#include "rootdk/training/evaluation.hpp"

namespace rootdk {
namespace {

template <class T>
RetrievalGraph<T> record_graph(const CellConfig& config, const TaskInfo& info,
                               Projections<T>& projections, Weights weights) {
  return RetrievalGraph<T>(projections, info, config.task_parameters.batch_size,
                           config.task_parameters.n_tokens,
                           {.rule = score_rule(config.scale),
                            .gemm = config.gemm,
                            .projections = config.projections,
                            .order = score_order(config, info),
                            .attention = config.attention},
                           weights);
}

template <class T>
std::unique_ptr<Optimizer<T>> optimizer_of(const CellConfig& config, Projections<T>& projections) {
  const auto parameters = trained(projections, config.projections);
  if (parameters.empty()) throw std::invalid_argument("without projections there is no training");
  return make_optimizer<T>(config.optimizer, parameters, config.optimizer_config);
}

// Entries of the gradient whose signal share is measured.
std::size_t signal_entries(const CellConfig& config, const TaskInfo& info) {
  if (config.signal_batches == 1) {
    throw std::invalid_argument("a signal share takes at least two batches");
  }
  return config.signal_batches == 0 ? 0 : static_cast<std::size_t>(info.d_model * config.d_k);
}

}  // namespace

template <class T>
TrainingCell<T>::TrainingCell(const CellConfig& config)
    : config_(config),
      task_(make_task<T>(config.task, config.task_parameters)),
      projections_(task_->info().d_model, config.d_k, task_->info().d_v,
                   config.task_parameters.seed),
      graph_(record_graph(config, task_->info(), projections_, Weights::trained)),
      evaluation_(record_graph(config, task_->info(), projections_, Weights::frozen)),
      optimizer_(optimizer_of(config, projections_)),
      recorder_(graph_, projections_, logged_steps(config)),
      signal_(signal_entries(config, task_->info())) {}

template <class T>
void TrainingCell<T>::step() {
  if (done_) return;
  const std::optional<double> signal_share = measure_signal();
  task_->sample(Split::train, static_cast<std::uint64_t>(step_), graph_.batch());
  graph_.tape().replay();
  graph_.tape().backward(graph_.loss());
  if (!is_finite()) return diverge();
  const bool last = step_ == config_.steps;
  if (is_logged(config_, step_)) {
    recorder_.record(step_, signal_share);
    if (!result_.steps_to_90 && steps().back().accuracy >= 0.9) result_.steps_to_90 = step_;
  }
  if (last || step_ % config_.evaluate_every == 0) evaluate();
  if (last) {
    result_.final_loss = steps().back().loss;
    done_ = true;
  } else {
    optimizer_->step();
    ++step_;
  }
}

// On the graph that trains, before the step itself: sampling and backward overwrite all of it.
// Batch k of step s has the number 2^32 s + k, so more batches begin with those of fewer.
template <class T>
std::optional<double> TrainingCell<T>::measure_signal() {
  if (config_.signal_batches == 0 || !is_logged(config_, step_)) return {};
  const std::span<const T> entries = View<const T>(projections_.w_q.grad()).entries();
  signal_.clear();
  for (Index k = 0; k < config_.signal_batches; ++k) {
    const auto number = (static_cast<std::uint64_t>(step_) << 32) + static_cast<std::uint64_t>(k);
    task_->sample(Split::probe, number, graph_.batch());
    graph_.tape().replay();
    graph_.tape().backward(graph_.loss());
    signal_.add(entries);
  }
  return signal_.share();
}

template <class T>
bool TrainingCell<T>::is_finite() {
  if (!std::isfinite(*graph_.loss().value().data)) return false;
  for (const Parameter<T>* parameter : projections_.all()) {
    const View<const T> grad = parameter->grad();
    if (!std::isfinite(probes::largest_magnitude(grad.entries()))) return false;
  }
  return true;
}

// The same step once more, now watching every node: it depends on nothing but the weights and the
// number of the step.
template <class T>
void TrainingCell<T>::diverge() {
  result_.diverged = true;
  done_ = true;
  result_.divergence = "step " + std::to_string(step_) + ": ";
  try {
    graph_.tape().replay(Guard::on);
    graph_.tape().backward(graph_.loss(), Guard::on);
    result_.divergence += "the norm of a gradient is not finite";
  } catch (const NonFinite& found) {
    result_.divergence += found.what();
  }
}

template <class T>
void TrainingCell<T>::evaluate() {
  result_.accuracy = rootdk::evaluate(*task_, evaluation_, config_.evaluation_sequences).accuracy();
}

template class TrainingCell<float>;
template class TrainingCell<double>;

}  // namespace rootdk
