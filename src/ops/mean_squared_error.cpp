#include "rootdk/ops/mean_squared_error.hpp"

namespace rootdk {

Shape MeanSquaredError::output_shape(std::span<const Shape> in) const {
  expect_inputs(name, in, 2);
  if (!(in[0] == in[1])) shape_error(name, "the shapes differ", in);
  return Shape();
}

template <class T>
void MeanSquaredError::forward(const ForwardArgs<T>& args) const {
  expect_contiguous_rows(name, "x", args.in[0]);
  expect_contiguous_rows(name, "the target", args.in[1]);
  const Shape& shape = args.in[0].shape;
  double sum = 0;
  for (Index r = 0; r < shape.rows(); ++r) {
    const T *x = args.in[0].row(r), *t = args.in[1].row(r);
    for (Index c = 0; c < shape.cols(); ++c) {
      const double difference = static_cast<double>(x[c]) - static_cast<double>(t[c]);
      sum += difference * difference;
    }
  }
  *args.out.data = static_cast<T>(sum / static_cast<double>(shape.size()));
}

template <class T>
void MeanSquaredError::vjp(const VjpArgs<T>& args) const {
  const Shape& shape = args.in[0].shape;
  const T factor = *args.d_out.data * T(2) / static_cast<T>(shape.size());
  for (Index r = 0; r < shape.rows(); ++r) {
    const T *x = args.in[0].row(r), *t = args.in[1].row(r);
    for (Index c = 0; c < shape.cols(); ++c) {
      const T d = factor * (x[c] - t[c]);  // dx_i += dL 2 (x_i - t_i) / N = -dt_i
      if (args.d_in[0]) args.d_in[0].row(r)[c] += d;
      if (args.d_in[1]) args.d_in[1].row(r)[c] -= d;
    }
  }
}

template void MeanSquaredError::forward(const ForwardArgs<float>&) const;
template void MeanSquaredError::forward(const ForwardArgs<double>&) const;
template void MeanSquaredError::vjp(const VjpArgs<float>&) const;
template void MeanSquaredError::vjp(const VjpArgs<double>&) const;

}  // namespace rootdk
