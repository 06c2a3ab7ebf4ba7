#pragma once
#include "rootdk/autodiff/tape.hpp"

namespace rootdk {

// Forward  y = s x, with a constant s
// Shapes   x, y: any, the same
// Saved    nothing
// VJP      dy/dx = s        =>  dx += s dy
// Notes    1/sqrt(d_k) is such an s: it shrinks the scores, and by the same factor what they get back.
struct Scale {
  double factor = 1;

  static constexpr std::string_view name = "scale";
  Shape output_shape(std::span<const Shape> in) const;
  template <class T>
  void forward(const ForwardArgs<T>& args) const;
  template <class T>
  void vjp(const VjpArgs<T>& args) const;
};

template <class T>
Var<T> scale(Var<T> x, double factor) {
  return x.tape().apply(Scale{factor}, {x});
}

extern template void Scale::forward(const ForwardArgs<float>&) const;
extern template void Scale::forward(const ForwardArgs<double>&) const;
extern template void Scale::vjp(const VjpArgs<float>&) const;
extern template void Scale::vjp(const VjpArgs<double>&) const;
static_assert(Op<Scale>);

}  // namespace rootdk
