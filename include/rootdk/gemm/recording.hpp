#pragma once
#include <utility>
#include <vector>

#include "rootdk/gemm/gemm.hpp"

namespace rootdk {

// One call of gemm(): what was multiplied, where, and by which backend.
template <class T>
struct GemmCall {
  GemmBackend backend;
  Gemm<T> product;
};

// While it lives, every gemm() of this thread and precision is also appended to `calls`:
//   std::vector<GemmCall<float>> calls;
//   {
//     const GemmRecording recording(calls);
//     tape.replay();
//     tape.backward(loss);
//   }
//   run_again(calls);  // the same products again, and nothing else
// So what is said of "the products of a step" cannot get out of step with the engine. A recording
// inside another takes its place until it ends. Costs one branch a product when nothing is recorded.
template <class T>
class GemmRecording {
 public:
  explicit GemmRecording(std::vector<GemmCall<T>>& calls)
      : outer_(std::exchange(target_, &calls)) {}
  ~GemmRecording() { target_ = outer_; }
  GemmRecording(const GemmRecording&) = delete;
  GemmRecording& operator=(const GemmRecording&) = delete;

  // gemm() says here what it is about to do.
  static void note(GemmBackend backend, const Gemm<T>& product) {
    if (target_ != nullptr) target_->push_back({backend, product});
  }

 private:
  static inline constinit thread_local std::vector<GemmCall<T>>* target_ = nullptr;
  std::vector<GemmCall<T>>* outer_;
};

// The calls again, in their order, on the addresses they were made with: their operands must still be
// there (on a tape they stay until it is rewound). A product with beta = 1 adds to what is there.
template <class T>
void run_again(const std::vector<GemmCall<T>>& calls) {
  for (const GemmCall<T>& call : calls) gemm(call.backend, call.product);
}

}  // namespace rootdk
