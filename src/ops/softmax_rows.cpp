#include "rootdk/ops/softmax_rows.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "rootdk/elementary.hpp"
#include "row_kernels.hpp"

namespace rootdk {
namespace {

constexpr Index most_rows = 256;

// Rows of one vector's length are so short that the loops around them cost as much as the work: with
// their length known to the compiler there are none.
using ShortRow = std::integral_constant<Index, lanes>;

// p = softmax(z) of up to 256 rows next to each other in p; n >= 1, an Index or a ShortRow. Each pass
// goes over all of them: exponentials and divisions vectorise across rows.
template <class T, class Count>
void softmax(const Rows<const T>& z, Index first, Index rows, T* p, Count n) {
  std::array<T, most_rows> of_row;
  for (Index r = 0; r < rows; ++r) {
    const T* row = z[first + r];
    const T largest = max_of(row, n);
    map_rows(
        n, p + r * n, [largest](const auto& x) { return x - largest; }, row);
  }
  for (Index i = 0; i < rows * n; ++i) p[i] = elementary::exp_nonpositive(p[i]);
  for (Index r = 0; r < rows; ++r) of_row[static_cast<std::size_t>(r)] = sum_of(p + r * n, n);
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) of_row[r] = T(1) / of_row[r];
  for (Index r = 0; r < rows; ++r) {
    const T inverse = of_row[static_cast<std::size_t>(r)];
    map_rows(
        n, p + r * n, [inverse](const auto& x) { return x * inverse; }, p + r * n);
  }
}

// Without a mask: as many rows at a time as leave p in the first-level cache between the passes.
template <class T>
void softmax_of_all(const Rows<const T>& z, const View<T>& p) {
  const Index n = p.shape.cols(), rows = p.shape.rows();
  const Index at_once = std::clamp<Index>(4096 / n, 1, most_rows);
  for (Index r = 0; r < rows; r += at_once) {
    const Index count = std::min(at_once, rows - r);
    n == lanes ? softmax(z, r, count, p.data + r * n, ShortRow())
               : softmax(z, r, count, p.data + r * n, n);
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

template <class T, class Count>
void back_all(const Rows<const T>& p, const Rows<const T>& d_p, const Rows<T>& d_z,
              const VjpArgs<T>& args, Count n) {
  const Index rows = args.out.shape.rows();
  for (Index r = 0; r < rows; ++r) back(p[r], d_p[r], d_z[r], n, args.fresh[0]);
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
    n == lanes ? back_all(p, d_p, d_z, args, ShortRow()) : back_all(p, d_p, d_z, args, n);
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
