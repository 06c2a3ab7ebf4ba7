#include "rootdk/training/cell_config.hpp"

#include <algorithm>

#include "rootdk/ops/streaming_attention.hpp"
#include "rootdk/training/recorder.hpp"

namespace rootdk {
namespace {

double number(Index value) { return static_cast<double>(value); }

// The sizes of a cell, as numbers that do not overflow.
struct Sizes {
  double B, n, n_q, m, d_k, d_v;
  bool merged, streaming;

  Sizes(const CellConfig& config, const TaskInfo& info)
      : B(number(config.task_parameters.batch_size)),
        n(number(config.task_parameters.n_tokens)),
        n_q(number(info.n_queries)),
        m(number(info.d_model)),
        d_k(number(config.d_k)),
        d_v(number(info.d_v)),
        merged(score_order(config, info) == ScoreOrder::merged),
        streaming(config.attention == AttentionKind::streaming) {}
};

// Weights with their gradients and what the optimizer keeps for each.
double weight_elements(const CellConfig& config, const Sizes& s) {
  const int buffers = find_optimizer(config.optimizer).buffers(config.optimizer_config);
  return (2 + buffers) * s.m * (2 * s.d_k + s.d_v);
}

// Both graphs, of which only the one that trains has gradients.
double graph_elements(const TaskInfo& info, const Sizes& s) {
  const double inputs = s.B * (s.n + (info.self_attention ? 0 : s.n_q)) * s.m;
  const double compared = s.merged ? s.m * s.m + s.B * s.n_q * s.m : s.B * (s.n_q + s.n) * s.d_k;
  const double pairs = s.streaming ? 0 : 2 * s.B * s.n_q * s.n;  // Z and A
  // Values, outputs, and of the loss the weights of the classes and 1 - p_y.
  const double nodes = compared + pairs + s.B * (s.n * s.d_v + s.n_q * (2 * s.d_v + 1));
  // What streaming saves: two tiles, and three numbers of each row.
  const StreamingAttention op;
  const double height = std::min(s.n_q, number(op.query_tile));
  const double tile = height * std::max(height, std::min(s.n, number(op.key_tile)));
  const double streamed = s.streaming ? 2 * tile + s.n_q + 2 * s.B * s.n_q : 0;
  return 2 * inputs + 3 * nodes + 2 * streamed;
}

// What the probes compute again because the graph does not keep it.
template <class T>
double row_elements(const CellConfig& config, const TaskInfo& info, const Sizes& s) {
  const Index queries = config.task_parameters.batch_size * info.n_queries;
  const double pairs = std::min(s.n_q, number(AttentionRows<T>::rows_of_block)) * s.n;
  return (s.streaming ? 4 * pairs : 0) +
         (s.merged ? ProjectedNorms<T>::elements(queries, info.d_model, config.d_k) : 0);
}

// Of each query: label and right key in both graphs, what the recorder measures and sorts out, and in
// merged order the norm of its gradient.
double query_bytes(const Sizes& s) {
  const double each = 4 * sizeof(std::int32_t) + sizeof(QueryProbe) + sizeof(double) +
                      (s.merged ? sizeof(double) : 0);
  return s.B * s.n_q * each;
}

}  // namespace

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

bool is_logged(const CellConfig& config, Index step) {
  return step == config.steps || step % config.log_every == 0;
}

Index logged_steps(const CellConfig& config) {
  return config.steps / config.log_every + (config.steps % config.log_every == 0 ? 1 : 2);
}

double estimated_bytes(const CellConfig& config, const TaskInfo& info, double bytes_of_element) {
  const Sizes s(config, info);
  const double rows = bytes_of_element < sizeof(double) ? row_elements<float>(config, info, s)
                                                        : row_elements<double>(config, info, s);
  const double tables = (number(info.n_keys) + s.d_v) * s.m;
  const double signal = config.signal_batches == 0 ? 0 : s.m * s.d_k * sizeof(double);
  return (weight_elements(config, s) + graph_elements(info, s) + rows + tables) * bytes_of_element +
         signal + query_bytes(s);
}

}  // namespace rootdk
