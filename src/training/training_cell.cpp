#include "rootdk/training/training_cell.hpp"

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "rootdk/ops/streaming_attention.hpp"
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

Index logged_steps(const CellConfig& config) { return config.steps / config.log_every + 2; }

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
  if (is_logged()) {
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

template <class T>
bool TrainingCell<T>::is_logged() const {
  return step_ == config_.steps || step_ % config_.log_every == 0;
}

// On the graph that trains, before the step itself: sampling and backward overwrite all of it.
// Batch k of step s has the number 2^32 s + k, so more batches begin with those of fewer.
template <class T>
std::optional<double> TrainingCell<T>::measure_signal() {
  if (config_.signal_batches == 0 || !is_logged()) return {};
  const View<const T> grad = projections_.w_q.grad();
  const std::span<const T> entries(grad.data, static_cast<std::size_t>(grad.shape.size()));
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
    const std::span<const T> grad(parameter->grad().data,
                                  static_cast<std::size_t>(parameter->shape.size()));
    if (!std::isfinite(probes::largest_magnitude(grad))) return false;
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

ScoreSizes score_sizes(const CellConfig& config, const TaskInfo& info) {
  return {.batch_size = config.task_parameters.batch_size,
          .n_queries = info.n_queries,
          .n_tokens = config.task_parameters.n_tokens,
          .d_model = info.d_model,
          .d_k = config.d_k,
          .streaming = config.attention == AttentionKind::streaming};
}

ScoreOrder score_order(const CellConfig& config, const TaskInfo& info) {
  if (config.projections == ProjectionKind::none) return ScoreOrder::direct;
  return config.order ? *config.order : cheaper_order(score_sizes(config, info));
}

double estimated_bytes(const CellConfig& config, const TaskInfo& info, double bytes_of_element) {
  const auto number = [](Index value) { return static_cast<double>(value); };
  const double B = number(config.task_parameters.batch_size);
  const double n = number(config.task_parameters.n_tokens), n_q = number(info.n_queries);
  const double m = number(info.d_model), d_k = number(config.d_k), d_v = number(info.d_v);
  const bool merged = score_order(config, info) == ScoreOrder::merged;
  const bool streaming = config.attention == AttentionKind::streaming;
  const double weights = m * (2 * d_k + d_v);
  const double inputs = B * (n + (info.self_attention ? 0 : n_q)) * m;
  const double compared = merged ? m * m + B * n_q * m : B * (n_q + n) * d_k;
  const double pairs = streaming ? 0 : 2 * B * n_q * n;  // Z and A
  // Values, outputs, and of the loss the weights of the classes and 1 - p_y.
  const double nodes = compared + pairs + B * (n * d_v + n_q * (2 * d_v + 1));
  // What streaming keeps, in both graphs: two tiles, and numbers of each row; and what the probes of a
  // block of rows compute.
  const double rows = std::min(n_q, 64.0);
  const StreamingAttention tiles;
  const double height = std::min(n_q, number(tiles.query_tile));
  const double tile = height * std::max(height, std::min(n, number(tiles.key_tile)));
  const double streamed = streaming ? 2 * (2 * tile + n_q + 2 * B * n_q) + 4 * rows * n : 0;
  const Index queries = config.task_parameters.batch_size * info.n_queries;
  const bool in_float = bytes_of_element < sizeof(double);
  const double norms = !merged ? 0
                       : in_float
                           ? ProjectedNorms<float>::elements(queries, info.d_model, config.d_k)
                           : ProjectedNorms<double>::elements(queries, info.d_model, config.d_k);
  // Weights with gradient and the buffers of the optimizer; nodes with gradient, and once more without
  // for evaluation; the tables of the task.
  const double buffers = config.optimizer != "sgd"              ? 2
                         : config.optimizer_config.momentum > 0 ? 1
                                                                : 0;
  const double elements = (2 + buffers) * weights + 2 * inputs + 3 * nodes + streamed + norms +
                          (number(info.n_keys) + d_v) * m;
  const double signal = config.signal_batches == 0 ? 0 : 8 * m * d_k;  // always in double
  // Of each query: label and right key in both graphs, what the recorder measures and sorts out, and in
  // merged order the norm of its gradient.
  const double of_query = 4 * sizeof(std::int32_t) + sizeof(QueryProbe) + sizeof(double) +
                          (merged ? sizeof(double) : 0);
  return elements * bytes_of_element + signal + number(queries) * of_query;
}

template class TrainingCell<float>;
template class TrainingCell<double>;

}  // namespace rootdk
