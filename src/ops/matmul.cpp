#include "rootdk/ops/matmul.hpp"

#include "masked_product.hpp"

namespace rootdk {
namespace {

bool is_shared(const Shape& a, const Shape& b) { return b.rank() == 2 && a.rank() > 2; }

// All rows of a stack of matrices as one matrix, where the memory allows: then a product with a
// shared operand is one call instead of one for each matrix.
template <class T>
bool flattens(const View<T>& view) {
  return view.is_contiguous();
}
template <class T>
View<T> flat(const View<T>& view) {
  return View<T>(view.data, Shape{view.shape.rows(), view.shape.cols()});
}

// copy = A with its hidden entries zero.
template <class T>
void copy_visible(const Mask& mask, const View<const T>& a, const View<T>& copy) {
  for_each_query(mask, a.shape, [&](Index m, Index i, const VisibleKeys& keys) {
    const View<const T> from = a.matrix(m);
    const View<T> to = copy.matrix(m);
    for (Index j = 0; j < a.shape.cols(); ++j) to(i, j) = keys.sees(j) ? from(i, j) : T(0);
  });
}

// The products that are summed matrix by matrix, since `mask` hides entries of their left operand, which
// has the shape of `scores`.
template <class T>
struct ProductOfVisible {
  const GemmBackend backend;
  const T factor;  // s
  const Mask& mask;
  const Shape& scores;

  // y += s L x or y += s L^T x, for matrix m of the stack
  void add(Index m, const View<const T>& l, bool transpose_l, const View<const T>& x,
           const View<T>& y) const {
    const Index sequence = sequence_of(scores, m);
    add_masked_product(backend, factor, l, transpose_l, x, y, mask.hides(),
                       [&](Index i) { return mask.row(sequence, i, l.shape[1]); });
  }
};

template <class T>
void fill_zero(const View<T>& stack) {
  const Index width = stack.shape.cols(), step = stack.step(-1);
  for (Index r = 0; r < stack.shape.rows(); ++r) {
    T* row = stack.row(r);
    for (Index c = 0; c < width; ++c) row[c * step] = 0;
  }
}

}  // namespace

Shape Matmul::output_shape(std::span<const Shape> in) const {
  expect_inputs(name, in, 2);
  const Shape &a = in[0], &b = in[1];
  if (a.rank() < 2 || b.rank() < 2) shape_error(name, "takes matrices or stacks of them", in);
  if (a[-1] != b[-2]) shape_error(name, "the inner extents differ", in);
  if (!is_shared(a, b) && !same_stack(a, b)) shape_error(name, "the leading axes differ", in);
  const Shape result = a.with(-1, b[-1]);
  left_mask.expect_fits(name, a);
  output_mask.expect_fits(name, result);
  return result;
}

Shape Matmul::saved_shape(std::span<const Shape> in) const {
  return left_mask.hides() ? in[0] : Shape();
}

template <class T>
void Matmul::forward(const ForwardArgs<T>& args) const {
  const View<const T> a = args.in[0], b = args.in[1];
  const bool shared = is_shared(a.shape, b.shape);
  const T s = static_cast<T>(factor);
  if (!left_mask.hides()) {
    const bool one_product = shared && flattens(a);
    one_product ? gemm<T>(backend, s, flat(a), b, T(0), flat(args.out))  // C = s A B
                : gemm<T>(backend, s, a, b, T(0), args.out);
    return;
  }
  copy_visible<T>(left_mask, a, args.saved);
  fill_zero(args.out);
  const ProductOfVisible<T> product{backend, s, left_mask, a.shape};
  for (Index m = 0; m < a.shape.matrices(); ++m) {
    product.add(m, args.saved.matrix(m), false, shared ? b : b.matrix(m), args.out.matrix(m));
  }
}

// dA += s dC B^T
template <class T>
static void vjp_left(const Matmul& op, const VjpArgs<T>& args, bool shared) {
  const View<const T> b = args.in[1];
  const View<T> d_a = args.d_in[0];
  const T s = static_cast<T>(op.factor), keep = args.fresh[0] ? T(0) : T(1);
  if (!op.left_mask.hides() && !op.output_mask.hides()) {
    const bool one_product = shared && flattens(d_a);
    one_product ? gemm<T>(op.backend, s, flat(args.d_out), b.transposed(), keep, flat(d_a))
                : gemm<T>(op.backend, s, args.d_out, b.transposed(), keep, d_a);
    return;
  }
  if (args.fresh[0]) fill_zero(d_a);
  const ProductOfVisible<T> product{op.backend, s, op.output_mask, args.out.shape};
  const View<T> target = op.left_mask.hides() ? args.saved : d_a;
  if (op.left_mask.hides()) fill_zero(target);
  for (Index m = 0; m < d_a.shape.matrices(); ++m) {
    const View<const T> right = shared ? b : b.matrix(m);
    product.add(m, args.d_out.matrix(m), false, right.transposed(), target.matrix(m));
  }
  if (!op.left_mask.hides()) return;
  for_each_query(op.left_mask, d_a.shape, [&](Index m, Index i, const VisibleKeys& keys) {
    const View<T> to = d_a.matrix(m), from = target.matrix(m);
    for (Index j = 0; j < keys.count; ++j) {
      if (keys.sees(j)) to(i, j) += from(i, j);
    }
  });
}

// dB += s A^T dC, read as (dB)^T += s dC^T A when it is C that has hidden entries
template <class T>
static void vjp_right(const Matmul& op, const VjpArgs<T>& args, bool shared) {
  const View<const T> a = args.in[0];
  const View<T> d_b = args.d_in[1];
  const T s = static_cast<T>(op.factor), keep = args.fresh[1] ? T(0) : T(1);
  if (!op.left_mask.hides() && !op.output_mask.hides()) {
    const bool one_product = shared && flattens(a);
    one_product ? gemm<T>(op.backend, s, flat(a).transposed(), flat(args.d_out), keep, d_b)
                : gemm<T>(op.backend, s, a.transposed(), args.d_out, keep, d_b);
    return;
  }
  if (args.fresh[1]) fill_zero(d_b);
  // Again: vjp_left of an earlier backward pass wrote over the copy that forward made.
  if (op.left_mask.hides()) copy_visible<T>(op.left_mask, a, args.saved);
  for (Index m = 0; m < a.shape.matrices(); ++m) {
    const View<T> d_right = shared ? d_b : d_b.matrix(m);
    if (op.left_mask.hides()) {
      const ProductOfVisible<T> product{op.backend, s, op.left_mask, a.shape};
      product.add(m, args.saved.matrix(m), true, args.d_out.matrix(m), d_right);
    } else {
      const ProductOfVisible<T> product{op.backend, s, op.output_mask, args.out.shape};
      product.add(m, args.d_out.matrix(m), true, a.matrix(m), d_right.transposed());
    }
  }
}

template <class T>
void Matmul::vjp(const VjpArgs<T>& args) const {
  const bool shared = is_shared(args.in[0].shape, args.in[1].shape);
  if (args.d_in[1]) vjp_right(*this, args, shared);
  if (args.d_in[0]) vjp_left(*this, args, shared);
}

template void Matmul::forward(const ForwardArgs<float>&) const;
template void Matmul::forward(const ForwardArgs<double>&) const;
template void Matmul::vjp(const VjpArgs<float>&) const;
template void Matmul::vjp(const VjpArgs<double>&) const;

}  // namespace rootdk
