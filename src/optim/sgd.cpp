#include "rootdk/optim/sgd.hpp"

namespace rootdk {

template <class T>
Sgd<T>::Sgd(Parameters<T> parameters, const OptimizerConfig& config)
    : parameters_(parameters.begin(), parameters.end()), config_(config) {
  if (config_.momentum == 0) return;
  for (const Parameter<T>* parameter : parameters_) {
    velocity_.emplace_back(static_cast<std::size_t>(parameter->shape.size()), T(0));
  }
}

template <class T>
void Sgd<T>::step() {
  const T lr = static_cast<T>(config_.lr);
  const T mu = static_cast<T>(config_.momentum);
  const T lambda = static_cast<T>(config_.weight_decay);
  for (std::size_t p = 0; p < parameters_.size(); ++p) {
    T* __restrict w = parameters_[p]->value().data;
    const T* __restrict d_w = parameters_[p]->grad().data;
    const Index count = parameters_[p]->shape.size();
    if (velocity_.empty()) {
      for (Index i = 0; i < count; ++i) w[i] -= lr * (d_w[i] + lambda * w[i]);
      continue;
    }
    T* __restrict u = velocity_[p].data();
    for (Index i = 0; i < count; ++i) {
      u[i] = mu * u[i] + (d_w[i] + lambda * w[i]);
      w[i] -= lr * u[i];
    }
  }
}

template class Sgd<float>;
template class Sgd<double>;

}  // namespace rootdk
