#pragma once
#include <cstdint>

#include "rootdk/autodiff/tape.hpp"

namespace rootdk {

// Forward  L = mean_i ( log sum_c exp(l_ic) - l_iy ),  y = label of row i
// Shapes   l (..., C) logits; labels (...), one a row; L a scalar
// Saved    p, the softmax of each row, and 1 - p_iy, in blocks of 64 rows, transposed; room for dl of one
// VJP      dL/dl_ic = (p_ic - [c = y]) / N        =>  dl_ic += dL (p_ic - [c = y]) / N
// Notes    N is the number of rows that count: a row labelled `ignored` has no loss and no gradient
//          (no row counts: L = 0). Both stay exact where a row is almost certain: the loss is computed
//          from the gaps to the largest logit, so a confident mistake costs its full gap and is capped
//          nowhere, and p_iy - 1 is formed as minus the sum of the other p, which does not cancel.
struct CrossEntropy {
  static constexpr std::int32_t ignored = -100;
  View<const std::int32_t> labels;

  static constexpr std::string_view name = "cross_entropy";
  static constexpr bool writes_fresh_gradients = true;
  Shape output_shape(std::span<const Shape> in) const;
  Shape saved_shape(std::span<const Shape> in) const;
  // Throws std::out_of_range for a label that is neither a class nor `ignored`.
  template <class T>
  void forward(const ForwardArgs<T>& args) const;
  template <class T>
  void vjp(const VjpArgs<T>& args) const;
};

template <class T>
Var<T> cross_entropy(Var<T> logits, View<const std::int32_t> labels) {
  return logits.tape().apply(CrossEntropy{labels}, {logits});
}

extern template void CrossEntropy::forward(const ForwardArgs<float>&) const;
extern template void CrossEntropy::forward(const ForwardArgs<double>&) const;
extern template void CrossEntropy::vjp(const VjpArgs<float>&) const;
extern template void CrossEntropy::vjp(const VjpArgs<double>&) const;
static_assert(Op<CrossEntropy>);

}  // namespace rootdk
