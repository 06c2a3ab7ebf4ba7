#pragma once
// The same training step in another library. Which one, only the file that implements it knows.
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "rootdk/autodiff/shape.hpp"

namespace rootdk {

// One self-attention head that classifies its tokens: X (B, n, m), W_Q and W_K (m, d_k).
struct StepShape {
  Index batch_size = 0, n_tokens = 0, d_model = 0, d_k = 0;
};
inline constexpr Index step_classes = 8;  // d_v: W_V is (m, 8), one logit a class

// Where a step starts. Row-major; whoever is given it copies what it keeps.
struct StepInputs {
  StepShape shape;
  std::span<const float> tokens;                  // (B, n, m)
  std::span<const std::int32_t> labels;           // (B, n)
  std::array<std::span<const float>, 3> weights;  // W_Q, W_K, W_V
  double lr = 0;
};

// What the forward and the backward pass of one step find.
struct StepResult {
  double loss = 0;
  std::array<std::vector<float>, 3> gradients;  // of W_Q, W_K, W_V, row-major
};

//   Q = X W_Q, K = X W_K, V = X W_V, L = cross_entropy(softmax(Q K^T / sqrt(d_k)) V, labels)
class Peer {
 public:
  virtual ~Peer() = default;
  // From the weights as they stand, which do not move.
  virtual StepResult result() = 0;
  // Forward, backward, W -= lr dL/dW.
  virtual void step() = 0;
};

// Nowhere when this program was built without another library.
std::unique_ptr<Peer> make_peer(const StepInputs& inputs);
// "libtorch 1.13.0, 1 thread"; empty when there is none.
std::string peer_description();

}  // namespace rootdk
