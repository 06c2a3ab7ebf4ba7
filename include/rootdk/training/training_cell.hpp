#pragma once
#include <memory>
#include <optional>
#include <string>

#include "rootdk/probes/signal_share.hpp"
#include "rootdk/training/cell_config.hpp"
#include "rootdk/training/recorder.hpp"

namespace rootdk {

// How a cell ended, or stands.
struct CellResult {
  bool diverged = false;
  std::string divergence;  // which op became non-finite, at which step; empty unless diverged
  std::optional<double> final_loss;  // of the batch at the last step; nothing unless it was reached
  std::optional<double> accuracy;    // of the last evaluation; nothing when none came so far
  std::optional<Index> steps_to_90;  // first logged step with batch accuracy >= 0.9
};

// One training run as a stepwise object: make it, step it to its end, take its rows. It needs no file,
// thread or console. Its numbers are a function of the config alone: logging, evaluating and measuring
// the signal share change no weight and share no draw with training. After construction a step
// allocates nothing.
//
// Step s samples batch s, runs forward and backward, records a row if s is logged, and then updates:
// rows stand for the weights before update s. The last step, s = config.steps, makes no update.
template <class T>
class TrainingCell {
 public:
  // Throws TaskError or std::invalid_argument when the config asks for what does not exist: a task,
  // an optimizer, the training of a model without projections, a signal share of one batch.
  explicit TrainingCell(const CellConfig& config);

  bool done() const { return done_; }
  // Does step(), from 0 on. When its loss or a gradient is not finite the cell is done, as diverged.
  void step();

  const CellResult& result() const { return result_; }
  const TaskInfo& task() const { return task_->info(); }
  ScoreOrder order() const { return graph_.options().order; }
  Projections<T>& projections() { return projections_; }
  const std::vector<StepRow>& steps() const { return recorder_.steps(); }
  const std::vector<ProbeRow>& probes() const { return recorder_.probes(); }
  // Of the graphs, and of what measures them.
  std::size_t bytes() {
    return graph_.tape().bytes() + evaluation_.tape().bytes() + recorder_.bytes();
  }

 private:
  std::optional<double> measure_signal();
  bool is_finite();
  void diverge();
  void evaluate();

  const CellConfig config_;
  std::unique_ptr<Task<T>> task_;
  Projections<T> projections_;
  RetrievalGraph<T> graph_;
  RetrievalGraph<T> evaluation_;  // on the same weights
  std::unique_ptr<Optimizer<T>> optimizer_;
  Recorder<T> recorder_;
  probes::SignalShare signal_;  // of w_q
  CellResult result_;
  Index step_ = 0;
  bool done_ = false;
};

extern template class TrainingCell<float>;
extern template class TrainingCell<double>;

}  // namespace rootdk
