#pragma once
#include "rootdk/optim/optimizer.hpp"

namespace rootdk {

// Stochastic gradient descent with momentum mu and weight decay lambda, as in PyTorch:
//   g = dL/dw + lambda w,   u = mu u + g  (u = 0 at the start),   w = w - lr u
// Without momentum there is no u: w = w - lr g.
template <class T>
class Sgd final : public Optimizer<T> {
 public:
  Sgd(Parameters<T> parameters, const OptimizerConfig& config);
  void step() override;

 private:
  std::vector<Parameter<T>*> parameters_;
  OptimizerConfig config_;
  std::vector<std::vector<T>> velocity_;  // empty without momentum
};

extern template class Sgd<float>;
extern template class Sgd<double>;

}  // namespace rootdk
