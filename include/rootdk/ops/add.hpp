#pragma once
#include "rootdk/autodiff/tape.hpp"

namespace rootdk {

// Forward  y = a + b
// Shapes   a, b, y: any, the same
// Saved    nothing
// VJP      dy/da = dy/db = 1        =>  da += dy, db += dy
// Notes    add(a, a) gives a the sum of both, 2 dy.
struct Add {
  static constexpr std::string_view name = "add";
  Shape output_shape(std::span<const Shape> in) const;
  template <class T>
  void forward(const ForwardArgs<T>& args) const;
  template <class T>
  void vjp(const VjpArgs<T>& args) const;
};

template <class T>
Var<T> add(Var<T> a, Var<T> b) {
  return a.tape().apply(Add{}, {a, b});
}

extern template void Add::forward(const ForwardArgs<float>&) const;
extern template void Add::forward(const ForwardArgs<double>&) const;
extern template void Add::vjp(const VjpArgs<float>&) const;
extern template void Add::vjp(const VjpArgs<double>&) const;
static_assert(Op<Add>);

}  // namespace rootdk
