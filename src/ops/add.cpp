#include "rootdk/ops/add.hpp"

namespace rootdk {

Shape Add::output_shape(std::span<const Shape> in) const {
  expect_inputs(name, in, 2);
  if (!(in[0] == in[1])) shape_error(name, "the shapes differ", in);
  return in[0];
}

template <class T>
void Add::forward(const ForwardArgs<T>& args) const {
  expect_contiguous_rows(name, "the left operand", args.in[0]);
  expect_contiguous_rows(name, "the right operand", args.in[1]);
  const Index cols = args.out.shape.cols();
  for (Index r = 0; r < args.out.shape.rows(); ++r) {
    const T *a = args.in[0].row(r), *b = args.in[1].row(r);
    T* __restrict y = args.out.row(r);
    for (Index c = 0; c < cols; ++c) y[c] = a[c] + b[c];
  }
}

template <class T>
void Add::vjp(const VjpArgs<T>& args) const {
  const Index cols = args.out.shape.cols();
  for (const View<T>& d_in : args.d_in) {
    if (!d_in) continue;
    for (Index r = 0; r < args.out.shape.rows(); ++r) {
      const T* __restrict d_y = args.d_out.row(r);
      T* __restrict d_x = d_in.row(r);
      for (Index c = 0; c < cols; ++c) d_x[c] += d_y[c];  // da += dy, db += dy
    }
  }
}

template void Add::forward(const ForwardArgs<float>&) const;
template void Add::forward(const ForwardArgs<double>&) const;
template void Add::vjp(const VjpArgs<float>&) const;
template void Add::vjp(const VjpArgs<double>&) const;

}  // namespace rootdk
