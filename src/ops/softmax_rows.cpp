#include "rootdk/ops/softmax_rows.hpp"

#include "rootdk/elementary.hpp"
#include "row_kernels.hpp"

namespace rootdk {
namespace {

// All keys visible.
template <class T>
void softmax(const T* __restrict z, T* __restrict p, Index n) {
  const T largest = max_of(z, n);
  for (Index j = 0; j < n; ++j) p[j] = elementary::exp(z[j] - largest);
  const T inverse = T(1) / sum_of<T>(n, [p](Index j) { return p[j]; });
  for (Index j = 0; j < n; ++j) p[j] *= inverse;
}

// Some keys denied one by one: the same sums, over what is left.
template <class T>
void softmax_of_allowed(const T* z, T* p, const VisibleKeys& keys) {
  bool any = false;
  T largest = 0;
  for (Index j = 0; j < keys.count; ++j) {
    if (keys.sees(j) && (!any || largest < z[j])) largest = z[j];
    any = any || keys.sees(j);
  }
  for (Index j = 0; j < keys.count; ++j) {
    p[j] = keys.sees(j) ? elementary::exp(z[j] - largest) : T(0);
  }
  const T sum = sum_of<T>(keys.count, [p](Index j) { return p[j]; });
  if (!any) return;
  for (Index j = 0; j < keys.count; ++j) p[j] *= T(1) / sum;
}

}  // namespace

Shape SoftmaxRows::output_shape(std::span<const Shape> in) const {
  expect_inputs(name, in, 1);
  if (in[0].rank() < 1) shape_error(name, "takes at least one row", in);
  mask.expect_fits(name, in[0]);
  return in[0];
}

template <class T>
void SoftmaxRows::forward(const ForwardArgs<T>& args) const {
  expect_contiguous_rows(name, "z", args.in[0]);
  const Index n = args.out.shape.cols();
  Index r = 0;
  for_each_query(mask, args.out.shape, [&](Index, Index, const VisibleKeys& keys) {
    const T* z = args.in[0].row(r);
    T* p = args.out.row(r++);
    if (keys.allowed != nullptr) {
      softmax_of_allowed(z, p, keys);
    } else if (keys.count > 0) {
      softmax(z, p, keys.count);
    }
    for (Index j = keys.count; j < n; ++j) p[j] = 0;
  });
}

template <class T>
void SoftmaxRows::vjp(const VjpArgs<T>& args) const {
  if (!args.d_in[0]) return;
  Index r = 0;
  for_each_query(mask, args.out.shape, [&](Index, Index, const VisibleKeys& keys) {
    const T* __restrict p = args.out.row(r);
    const T* __restrict d_p = args.d_out.row(r);
    T* __restrict d_z = args.d_in[0].row(r++);
    if (keys.allowed == nullptr) {
      const T mean = sum_of<T>(keys.count, [=](Index j) { return p[j] * d_p[j]; });
      for (Index j = 0; j < keys.count; ++j) d_z[j] += p[j] * (d_p[j] - mean);
      return;  // dz_ij += p_ij (dp_ij - sum_k p_ik dp_ik)
    }
    const T mean =
        sum_of<T>(keys.count, [&](Index j) { return keys.sees(j) ? p[j] * d_p[j] : T(0); });
    for (Index j = 0; j < keys.count; ++j) {
      if (keys.sees(j)) d_z[j] += p[j] * (d_p[j] - mean);
    }
  });
}

template void SoftmaxRows::forward(const ForwardArgs<float>&) const;
template void SoftmaxRows::forward(const ForwardArgs<double>&) const;
template void SoftmaxRows::vjp(const VjpArgs<float>&) const;
template void SoftmaxRows::vjp(const VjpArgs<double>&) const;

}  // namespace rootdk
