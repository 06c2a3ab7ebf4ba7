#include "rootdk/optim/adam.hpp"

#include <cmath>

namespace rootdk {

template <class T>
Adam<T>::Adam(Parameters<T> parameters, const OptimizerConfig& config, WeightDecay decay)
    : parameters_(parameters.begin(), parameters.end()), config_(config), decay_(decay) {
  for (const Parameter<T>* parameter : parameters_) {
    const auto size = static_cast<std::size_t>(parameter->shape.size());
    mean_.emplace_back(size, T(0));
    square_.emplace_back(size, T(0));
  }
}

template <class T>
void Adam<T>::step() {
  beta1_to_t_ *= config_.beta1;  // by repeated products: pow may differ between libraries
  beta2_to_t_ *= config_.beta2;
  const T beta1 = static_cast<T>(config_.beta1), beta2 = static_cast<T>(config_.beta2);
  const T rest1 = static_cast<T>(1 - config_.beta1), rest2 = static_cast<T>(1 - config_.beta2);
  const T rate = static_cast<T>(config_.lr / (1 - beta1_to_t_));
  const T correction = static_cast<T>(1 / (1 - beta2_to_t_));
  const T epsilon = static_cast<T>(config_.epsilon);
  const bool coupled = decay_ == WeightDecay::coupled;
  const T lambda = coupled ? static_cast<T>(config_.weight_decay) : T(0);
  const T keep = coupled ? T(1) : static_cast<T>(1 - config_.lr * config_.weight_decay);
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    T* __restrict w = parameters_[p]->value().data;
    const T* __restrict d_w = parameters_[p]->grad().data;
    T* __restrict a = mean_[p].data();
    T* __restrict b = square_[p].data();
    const Index count = parameters_[p]->shape.size();
    for (Index i = 0; i < count; ++i) {
      const T g = d_w[i] + lambda * w[i];
      a[i] = beta1 * a[i] + rest1 * g;
      b[i] = beta2 * b[i] + rest2 * g * g;
      w[i] = keep * w[i] - rate * a[i] / (std::sqrt(b[i] * correction) + epsilon);
    }
  }
}

template class Adam<float>;
template class Adam<double>;

}  // namespace rootdk
