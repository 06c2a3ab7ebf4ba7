#include "rootdk/ops/softmax_rows.hpp"

#include <algorithm>

#include "rootdk/elementary.hpp"
#include "row_kernels.hpp"

namespace rootdk {
namespace {

// p = softmax(z) of `rows` rows next to each other in p; n >= 1. Exponentials are most of the work and
// run over all rows as one.
template <class T>
void softmax(const Rows<const T>& z, Index first, Index rows, T* p, Index n) {
  for (Index r = 0; r < rows; ++r) {
    const T* row = z[first + r];
    const T largest = max_of(row, n);
    map_rows(
        n, p + r * n, [largest](const auto& x) { return x - largest; }, row);
  }
  for (Index i = 0; i < rows * n; ++i) p[i] = elementary::exp_nonpositive(p[i]);
  for (Index r = 0; r < rows; ++r) {
    T* row = p + r * n;
    const T inverse = T(1) / sum_of(row, n);
    map_rows(
        n, row, [inverse](const auto& x) { return x * inverse; }, row);
  }
}

// Without a mask: as many rows at a time as leave p in the first-level cache between the passes.
template <class T>
void softmax_of_all(const Rows<const T>& z, const View<T>& p) {
  const Index n = p.shape.cols(), rows = p.shape.rows();
  const Index at_once = std::max<Index>(1, 4096 / n);
  for (Index r = 0; r < rows; r += at_once) {
    softmax(z, r, std::min(at_once, rows - r), p.data + r * n, n);
  }
}

// Some keys denied one by one: the others' scores stand next to each other while they are summed.
template <class T>
void softmax_of_allowed(const T* z, T* p, const VisibleKeys& keys) {
  bool any = false;
  T largest = 0;
  for (Index j = 0; j < keys.count; ++j) {
    if (keys.sees(j) && (!any || largest < z[j])) largest = z[j];
    any = any || keys.sees(j);
  }
  for (Index j = 0; j < keys.count; ++j) {
    p[j] = keys.sees(j) ? elementary::exp_nonpositive(z[j] - largest) : T(0);
  }
  if (!any) return;
  const T inverse = T(1) / sum_of(p, keys.count);
  for (Index j = 0; j < keys.count; ++j) p[j] *= inverse;
}

// dz_ij = p_ij (dp_ij - sum_k p_ik dp_ik), or added to what is there.
template <class T>
[[gnu::always_inline]] inline void back(const T* p, const T* d_p, T* d_z, Index n, bool fresh) {
  const T mean = dot(p, d_p, n);
  if (fresh) {
    const auto rule = [mean](const auto& a, const auto& d_a) { return a * (d_a - mean); };
    map_rows(n, d_z, rule, p, d_p);
  } else {
    const auto rule = [mean](const auto& d, const auto& a, const auto& d_a) {
      return d + a * (d_a - mean);
    };
    map_rows(n, d_z, rule, d_z, p, d_p);
  }
}

// The same over the keys that are seen: what stands at the others, NaN included, plays no part.
template <class T>
void back_allowed(const T* p, const T* d_p, T* d_z, const VisibleKeys& keys) {
  T mean = 0;
  for (Index j = 0; j < keys.count; ++j) mean += keys.sees(j) ? p[j] * d_p[j] : T(0);
  for (Index j = 0; j < keys.count; ++j) {
    if (keys.sees(j)) d_z[j] += p[j] * (d_p[j] - mean);
  }
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
  const Rows<const T> z(args.in[0]);
  if (!mask.hides()) return softmax_of_all(z, args.out);
  const Rows<T> p(args.out);
  const Index n = args.out.shape.cols();
  Index r = 0;
  for_each_query(mask, args.out.shape, [&](Index, Index, const VisibleKeys& keys) {
    if (keys.allowed != nullptr) {
      softmax_of_allowed(z[r], p[r], keys);
    } else if (keys.count > 0) {
      softmax(z, r, 1, p[r], keys.count);
    }
    std::fill(p[r] + keys.count, p[r] + n, T(0));
    ++r;
  });
}

template <class T>
void SoftmaxRows::vjp(const VjpArgs<T>& args) const {
  if (!args.d_in[0]) return;
  const Rows<const T> p(args.out), d_p(args.d_out);
  const Rows<T> d_z(args.d_in[0]);
  const Index n = args.out.shape.cols();
  if (!mask.hides()) {
    const Index rows = args.out.shape.rows();
    for (Index r = 0; r < rows; ++r) back(p[r], d_p[r], d_z[r], n, args.fresh[0]);
    return;
  }
  Index r = 0;
  for_each_query(mask, args.out.shape, [&](Index, Index, const VisibleKeys& keys) {
    if (args.fresh[0]) std::fill_n(d_z[r], n, T(0));
    if (keys.allowed != nullptr) {
      back_allowed(p[r], d_p[r], d_z[r], keys);
    } else {
      back(p[r], d_p[r], d_z[r], keys.count, false);
    }
    ++r;
  });
}

template void SoftmaxRows::forward(const ForwardArgs<float>&) const;
template void SoftmaxRows::forward(const ForwardArgs<double>&) const;
template void SoftmaxRows::vjp(const VjpArgs<float>&) const;
template void SoftmaxRows::vjp(const VjpArgs<double>&) const;

}  // namespace rootdk
