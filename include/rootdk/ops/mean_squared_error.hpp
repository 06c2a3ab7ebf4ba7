#pragma once
#include "rootdk/autodiff/tape.hpp"

namespace rootdk {

// Forward  L = mean_i (x_i - t_i)^2 over all N entries
// Shapes   x, t: any, the same; L a scalar
// Saved    nothing
// VJP      dL/dx_i = 2 (x_i - t_i) / N = -dL/dt_i
//          =>  dx_i += dL 2 (x_i - t_i) / N,  dt_i -= dL 2 (x_i - t_i) / N
struct MeanSquaredError {
  static constexpr std::string_view name = "mean_squared_error";
  Shape output_shape(std::span<const Shape> in) const;
  template <class T>
  void forward(const ForwardArgs<T>& args) const;
  template <class T>
  void vjp(const VjpArgs<T>& args) const;
};

template <class T>
Var<T> mean_squared_error(Var<T> x, Var<T> target) {
  return x.tape().apply(MeanSquaredError{}, {x, target});
}

extern template void MeanSquaredError::forward(const ForwardArgs<float>&) const;
extern template void MeanSquaredError::forward(const ForwardArgs<double>&) const;
extern template void MeanSquaredError::vjp(const VjpArgs<float>&) const;
extern template void MeanSquaredError::vjp(const VjpArgs<double>&) const;
static_assert(Op<MeanSquaredError>);

}  // namespace rootdk
