#include "common/cell_cost.hpp"

namespace rootdk {

double relative_cost_of(const CellConfig& cell) {
  const TaskInfo info = find_task(cell.task).info(cell.task_parameters);
  const auto B = static_cast<double>(cell.task_parameters.batch_size);
  const auto n = static_cast<double>(cell.task_parameters.n_tokens);
  const auto n_q = static_cast<double>(info.n_queries), m = static_cast<double>(info.d_model);
  const auto d_v = static_cast<double>(info.d_v);
  const double scores = score_operations(score_order(cell, info), score_sizes(cell, info));
  // Softmax costs about as much as 100 multiply-adds of a product for each score.
  const double step = scores + B * (2 * n * m * d_v + n_q * n * (3 * d_v + 100));
  return static_cast<double>(cell.steps + 1 + logged_steps(cell) * cell.signal_batches) * step;
}

}  // namespace rootdk
