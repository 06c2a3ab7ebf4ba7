#pragma once
// One training step of ours, and its matrix products alone.
#include <memory>

#include "bench/peer.hpp"
#include "rootdk/gemm/recording.hpp"
#include "rootdk/optim/optimizer.hpp"
#include "rootdk/training/retrieval_graph.hpp"

namespace rootdk {

// The model of training/ in float32 on one fixed batch: tokens from N(0, 1), labels uniform, weights
// from N(0, 1/m), all functions of (seed, shape).
class TrainingStep {
 public:
  TrainingStep(const StepShape& shape, const RetrievalOptions& options, std::uint64_t seed);

  // For a peer that shall do the same; views on what is here, at its current values.
  StepInputs inputs();

  // From the weights as they stand, which do not move.
  StepResult result();
  // Replay, backward, update by sgd.
  void step();
  // The products of a step: recorded once from a replay and a backward pass, so the same calls in
  // the same order on the same operands. Those that add to a gradient pile up on it, no faster than
  // with the square of the number of calls; the next step starts from zero again.
  void products() { run_again(products_); }
  const std::vector<GemmCall<float>>& recorded() const { return products_; }

 private:
  void differentiate();

  StepShape shape_;
  Projections<float> weights_;
  RetrievalGraph<float> graph_;
  std::unique_ptr<Optimizer<float>> sgd_;
  std::vector<GemmCall<float>> products_;
};

// Says in one sentence where two results differ by more than the rounding of float32; empty when
// they do not. A NaN differs from everything.
std::string disagreement(const StepResult& ours, const StepResult& peer);

}  // namespace rootdk
