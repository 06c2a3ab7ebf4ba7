#pragma once
#include "rootdk/optim/optimizer.hpp"

namespace rootdk {

// How weight decay enters: into the gradient (Adam, Kingma & Ba 2015), or straight into the weights
// (AdamW, Loshchilov & Hutter 2019).
enum class WeightDecay { coupled, decoupled };

// With t the number of this step, from 1, and lambda the weight decay:
//   coupled    g = dL/dw + lambda w            decoupled  g = dL/dw,  w = (1 - lr lambda) w
//   a = beta1 a + (1 - beta1) g                b = beta2 b + (1 - beta2) g^2     (0 at the start)
//   w = w - lr (a / (1 - beta1^t)) / (sqrt(b / (1 - beta2^t)) + epsilon)
template <class T>
class Adam final : public Optimizer<T> {
 public:
  Adam(Parameters<T> parameters, const OptimizerConfig& config, WeightDecay decay);
  void step() override;

 private:
  std::vector<Parameter<T>*> parameters_;
  OptimizerConfig config_;
  WeightDecay decay_;
  std::vector<std::vector<T>> mean_, square_;  // a and b
  double beta1_to_t_ = 1, beta2_to_t_ = 1;
};

extern template class Adam<float>;
extern template class Adam<double>;

}  // namespace rootdk
