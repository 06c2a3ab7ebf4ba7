#include "rootdk/ops/scale.hpp"

namespace rootdk {

Shape Scale::output_shape(std::span<const Shape> in) const {
  expect_inputs(name, in, 1);
  return in[0];
}

template <class T>
void Scale::forward(const ForwardArgs<T>& args) const {
  expect_contiguous_rows(name, "x", args.in[0]);
  const T s = static_cast<T>(factor);
  const Index cols = args.out.shape.cols();
  for (Index r = 0; r < args.out.shape.rows(); ++r) {
    const T* __restrict x = args.in[0].row(r);
    T* __restrict y = args.out.row(r);
    for (Index c = 0; c < cols; ++c) y[c] = s * x[c];
  }
}

template <class T>
void Scale::vjp(const VjpArgs<T>& args) const {
  if (!args.d_in[0]) return;
  const T s = static_cast<T>(factor);
  const Index cols = args.out.shape.cols();
  for (Index r = 0; r < args.out.shape.rows(); ++r) {
    const T* __restrict d_y = args.d_out.row(r);
    T* __restrict d_x = args.d_in[0].row(r);
    for (Index c = 0; c < cols; ++c) d_x[c] += s * d_y[c];  // dx += s dy
  }
}

template void Scale::forward(const ForwardArgs<float>&) const;
template void Scale::forward(const ForwardArgs<double>&) const;
template void Scale::vjp(const VjpArgs<float>&) const;
template void Scale::vjp(const VjpArgs<double>&) const;

}  // namespace rootdk
