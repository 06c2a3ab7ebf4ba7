#include "bench/training_step.hpp"

#include <cmath>
#include <limits>
#include <sstream>

#include "rootdk/random.hpp"

namespace rootdk {
namespace {

// So small that thousands of timed steps on one batch stay where they started: numbers of the same
// size, no saturated softmax, no denormals.
constexpr double step_lr = 1e-3;

TaskInfo token_classification(const StepShape& shape) {
  return {.d_model = shape.d_model,
          .d_v = step_classes,
          .n_queries = shape.n_tokens,
          .self_attention = true,
          .chance = 1.0 / static_cast<double>(step_classes)};
}

double norm(const std::vector<float>& x) {
  double sum = 0;
  for (const float entry : x) sum += static_cast<double>(entry) * static_cast<double>(entry);
  return std::sqrt(sum);
}

}  // namespace

TrainingStep::TrainingStep(const StepShape& shape, const RetrievalOptions& options,
                           std::uint64_t seed)
    : shape_(shape),
      weights_(shape.d_model, shape.d_k, step_classes, seed),
      graph_(weights_, token_classification(shape), shape.batch_size, shape.n_tokens, options,
             Weights::trained),
      sgd_(make_optimizer<float>("sgd", weights_.all(), {.lr = step_lr})) {
  const Batch<float>& batch = graph_.batch();
  Stream tokens(StreamKey(seed, "bench/tokens", {shape.batch_size, shape.n_tokens, shape.d_model}));
  fill_normal(tokens, batch.tokens.entries());
  Stream labels(StreamKey(seed, "bench/labels", {shape.batch_size, shape.n_tokens}));
  choose_any(labels, static_cast<std::int32_t>(step_classes), batch.labels.entries());
  const GemmRecording recording(products_);
  differentiate();
}

StepInputs TrainingStep::inputs() {
  const Batch<float>& batch = graph_.batch();
  StepInputs inputs{.shape = shape_,
                    .tokens = batch.tokens.entries(),
                    .labels = batch.labels.entries(),
                    .weights = {},
                    .lr = step_lr};
  for (std::size_t i = 0; i < inputs.weights.size(); ++i) {
    inputs.weights[i] = weights_.all()[i]->value().entries();
  }
  return inputs;
}

void TrainingStep::differentiate() {
  graph_.tape().replay();
  graph_.tape().backward(graph_.loss());
}

StepResult TrainingStep::result() {
  differentiate();
  StepResult result;
  result.loss = static_cast<double>(*graph_.loss().value().data);
  for (std::size_t i = 0; i < result.gradients.size(); ++i) {
    const auto gradient = weights_.all()[i]->grad().entries();
    result.gradients[i].assign(gradient.begin(), gradient.end());
  }
  return result;
}

void TrainingStep::step() {
  differentiate();
  sgd_->step();
}

std::string disagreement(const StepResult& ours, const StepResult& peer) {
  // Sums of some thousand terms in another order differ by a few units in the last place of their
  // norm; a wrong factor or a forgotten term is far beyond 2^7 of them.
  constexpr double tolerance = 0x1p7 * std::numeric_limits<float>::epsilon();
  std::ostringstream text;
  text.precision(9);
  if (!(std::abs(ours.loss - peer.loss) <= tolerance * std::abs(peer.loss))) {
    text << "loss " << ours.loss << " against " << peer.loss;
    return text.str();
  }
  constexpr std::array names{"W_Q", "W_K", "W_V"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::vector<float>&a = ours.gradients[i], &b = peer.gradients[i];
    if (a.size() != b.size()) return std::string("gradients of ") + names[i] + " of two sizes";
    std::vector<float> difference;
    for (std::size_t j = 0; j < a.size(); ++j) difference.push_back(a[j] - b[j]);
    if (norm(difference) <= tolerance * norm(b)) continue;
    text << "the gradients of " << names[i] << " differ by " << norm(difference)
         << ", their norm is " << norm(b);
    return text.str();
  }
  return "";
}

}  // namespace rootdk
