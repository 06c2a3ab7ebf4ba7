// The training step in libtorch, as one writes it there. The only file that includes it: the headers
// of the operations used instead of all of <torch/torch.h>, which compile ten times as fast.
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/ivalue.h>  // clang wants it complete
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/from_blob.h>
#include <cmath>
#include <torch/version.h>

#include "bench/peer.hpp"

namespace rootdk {
namespace {

// Each thread has its own number of threads to use; that between operations may be set only once in a
// process.
void use_one_thread() {
  at::set_num_threads(1);
  static const bool done = [] {
    at::set_num_interop_threads(1);
    return true;
  }();
  static_cast<void>(done);
}

template <class T>
at::Tensor copy_of(std::span<const T> numbers, at::IntArrayRef shape, at::ScalarType type) {
  // from_blob wants a mutable pointer, which the copy then leaves alone.
  return at::from_blob(const_cast<T*>(numbers.data()), shape, type).clone();
}

class TorchStep : public Peer {
 public:
  explicit TorchStep(const StepInputs& inputs)
      : scale_(1 / std::sqrt(static_cast<double>(inputs.shape.d_k))), lr_(inputs.lr) {
    const auto [batch_size, n_tokens, d_model, d_k] = inputs.shape;
    tokens_ = copy_of(inputs.tokens, {batch_size, n_tokens, d_model}, at::kFloat);
    labels_ = copy_of(inputs.labels, {batch_size * n_tokens}, at::kInt).to(at::kLong);
    const std::array<Index, 3> widths{d_k, d_k, step_classes};
    for (std::size_t i = 0; i < widths.size(); ++i) {
      weights_[i] = copy_of(inputs.weights[i], {d_model, widths[i]}, at::kFloat);
      weights_[i].requires_grad_(true);
    }
  }

  StepResult result() override {
    StepResult result;
    result.loss = static_cast<double>(differentiate().item<float>());
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const at::Tensor gradient = weights_[i].grad().contiguous();
      const float* first = gradient.data_ptr<float>();
      result.gradients[i].assign(first, first + gradient.numel());
    }
    forget_gradients();
    return result;
  }

  void step() override {
    differentiate();
    const at::NoGradGuard no_graph;
    for (at::Tensor& w : weights_) w.sub_(w.grad(), lr_);
    forget_gradients();
  }

 private:
  at::Tensor differentiate() const {
    const at::Tensor Q = tokens_.matmul(weights_[0]);
    const at::Tensor K = tokens_.matmul(weights_[1]);
    const at::Tensor V = tokens_.matmul(weights_[2]);
    const at::Tensor A = Q.matmul(K.transpose(-2, -1)).mul(scale_).softmax(-1);
    const at::Tensor O = A.matmul(V);
    at::Tensor loss = at::cross_entropy_loss(O.view({-1, step_classes}), labels_);
    loss.backward();
    return loss;
  }
  // Gone, not zeroed: the next backward pass then keeps its result instead of adding it to zeros.
  void forget_gradients() {
    for (at::Tensor& w : weights_) w.mutable_grad().reset();
  }

  double scale_, lr_;
  at::Tensor tokens_, labels_;
  std::array<at::Tensor, 3> weights_;
};

}  // namespace

std::unique_ptr<Peer> make_peer(const StepInputs& inputs) {
  use_one_thread();
  return std::make_unique<TorchStep>(inputs);
}

std::string peer_description() {
  use_one_thread();
  return std::string("libtorch ") + TORCH_VERSION + ", " + std::to_string(at::get_num_threads()) +
         " thread";
}

}  // namespace rootdk
