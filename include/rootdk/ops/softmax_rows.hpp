#pragma once
#include "rootdk/autodiff/tape.hpp"
#include "rootdk/ops/mask.hpp"

namespace rootdk {

// Forward  p_ij = exp(z_ij - max_i) / sum_k exp(z_ik - max_i), over the keys k that query i may see;
//          p_ij = 0 for hidden keys
// Shapes   z, p: (..., n_q, n_k), the same
// Saved    nothing: the backward rule reads p
// VJP      dp_ij/dz_ik = p_ij (delta_jk - p_ik)
//          =>  dz_ij += p_ij (dp_ij - sum_k p_ik dp_ik)
// Notes    The Jacobian J = diag(p) - p p^T has J 1 = 0, so the entries of dz sum to zero, and p does
//          not change when all scores of a row shift together: the maximum is subtracted, and what
//          saturates a row is the spread of its scores, not their size. A row that sees no key has
//          p = 0 and dz = 0, by definition.
struct SoftmaxRows {
  Mask mask{};

  static constexpr std::string_view name = "softmax_rows";
  static constexpr bool writes_fresh_gradients = true;
  Shape output_shape(std::span<const Shape> in) const;
  template <class T>
  void forward(const ForwardArgs<T>& args) const;
  template <class T>
  void vjp(const VjpArgs<T>& args) const;
};

template <class T>
Var<T> softmax_rows(Var<T> z, const Mask& mask = {}) {
  return z.tape().apply(SoftmaxRows{mask}, {z});
}

extern template void SoftmaxRows::forward(const ForwardArgs<float>&) const;
extern template void SoftmaxRows::forward(const ForwardArgs<double>&) const;
extern template void SoftmaxRows::vjp(const VjpArgs<float>&) const;
extern template void SoftmaxRows::vjp(const VjpArgs<double>&) const;
static_assert(Op<SoftmaxRows>);

}  // namespace rootdk
