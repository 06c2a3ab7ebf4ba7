#pragma once
#include <optional>
#include <string>

#include "rootdk/attention/attention_kind.hpp"
#include "rootdk/attention/projections.hpp"
#include "rootdk/attention/score_order.hpp"
#include "rootdk/gemm/gemm.hpp"
#include "rootdk/optim/optimizer.hpp"
#include "rootdk/tasks/task.hpp"

namespace rootdk {

// One training run: everything that decides its numbers.
struct CellConfig {
  std::string task = "lookup";
  TaskParameters task_parameters{};  // with the seed of tables, weights and batches
  std::string scale = "inv_sqrt_dk";
  Index d_k = 64;
  ProjectionKind projections = ProjectionKind::untied;
  std::string optimizer = "sgd";
  OptimizerConfig optimizer_config{};
  Index steps = 400;                 // updates
  Index log_every = 10;              // steps between recorded rows
  Index evaluate_every = 200;        // steps between evaluations
  Index evaluation_sequences = 512;  // at least; whole batches are drawn
  Index signal_batches = 0;          // of a logged step's signal share; 0: it is not measured
  GemmBackend gemm = default_gemm;
  std::optional<ScoreOrder> order{};  // of multiplication; nothing: the one with fewer operations
  AttentionKind attention = AttentionKind::materialised;
};

// What the scores of a cell cost depends on these, and the order that it multiplies them in.
ScoreSizes score_sizes(const CellConfig& config, const TaskInfo& info);
ScoreOrder score_order(const CellConfig& config, const TaskInfo& info);

// Whether a step is recorded: every log_every-th is, and the last; and how many of all are.
bool is_logged(const CellConfig& config, Index step);
Index logged_steps(const CellConfig& config);

// Memory that a cell will take, in bytes, for elements of the given size; recorded rows not included.
// Computed in floating point, so that no size overflows it. Right to a few per cent from some megabytes on;
// below, a cell takes some tens of kilobytes more, which the records of its tapes are.
double estimated_bytes(const CellConfig& config, const TaskInfo& info, double bytes_of_element);

}  // namespace rootdk
