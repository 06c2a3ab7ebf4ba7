#include "rootdk/ops/softmax_rows.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "rootdk/elementary.hpp"
#include "row_kernels.hpp"

namespace rootdk {
namespace {

constexpr Index most_rows = 256;

// Rows of n entries of which one or two arrays fit the first-level cache.
Index rows_in_cache(Index n, Index most) { return std::clamp<Index>(4096 / n, 1, most); }

// Rows of one vector's length are so short that the loops around them, and finding where a row of a
// view lies, cost as much as the work. With their length known to the compiler there are no loops.
using ShortRow = std::integral_constant<Index, lanes>;

template <class T>
struct ShortRows {
  T* first;
  T* operator[](Index r) const { return first + r * lanes; }
};

template <class T>
bool is_short(const View<T>& rows) {
  return rows.shape.cols() == lanes && rows.is_contiguous();
}

// p = softmax(z) of up to 256 rows next to each other in p; n >= 1, an Index or a ShortRow. Each pass
// goes over all of them: exponentials and divisions vectorise across rows.
template <class T, class RowsOfZ, class Count>
void softmax(const RowsOfZ& z, Index first, Index rows, T* p, Count n) {
  std::array<T, most_rows> of_row;
  reduce_rows(
      rows, of_row.data(), [&](Index r) { return lane_maxima(z[first + r], n); }, keep_larger);
  for (Index r = 0; r < rows; ++r) {
    const T largest = of_row[static_cast<std::size_t>(r)];
    map_rows(
        n, p + r * n, [largest](const auto& x) { return x - largest; }, z[first + r]);
  }
  for (Index i = 0; i < rows * n; ++i) p[i] = elementary::exp_nonpositive(p[i]);
  reduce_rows(
      rows, of_row.data(), [&](Index r) { return lane_sums(p + r * n, n); }, add_to);
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) of_row[r] = T(1) / of_row[r];
  for (Index r = 0; r < rows; ++r) {
    const T inverse = of_row[static_cast<std::size_t>(r)];
    map_rows(
        n, p + r * n, [inverse](const auto& x) { return x * inverse; }, p + r * n);
  }
}

// Without a mask: as many rows at a time as stay in the first-level cache between the passes.
template <class T>
void softmax_of_all(const View<const T>& z, const View<T>& p) {
  const Index n = p.shape.cols(), rows = p.shape.rows();
  const Index at_once = rows_in_cache(n, most_rows);
  const Rows<const T> z_rows(z);
  for (Index r = 0; r < rows; r += at_once) {
    const Index count = std::min(at_once, rows - r);
    is_short(z) ? softmax(ShortRows<const T>{z.data}, r, count, p.data + r * n, ShortRow())
                : softmax(z_rows, r, count, p.data + r * n, n);
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
[[gnu::always_inline]] inline void back(const T* p, const T* d_p, T mean, T* d_z, Index n,
                                        bool fresh) {
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

// As many rows at a time as one reduction takes, or as the first-level cache holds.
template <class T, class RowsIn, class RowsOut, class Count>
void back_all(const RowsIn& p, const RowsIn& d_p, const RowsOut& d_z, const VjpArgs<T>& args,
              Count n) {
  const Index rows = args.out.shape.rows();
  std::array<T, lanes> mean;
  const Index at_once = rows_in_cache(n, lanes);
  for (Index first = 0; first < rows; first += at_once) {
    const Index count = std::min(at_once, rows - first);
    const auto of_row = [&](Index r) { return lane_dots(p[first + r], d_p[first + r], n); };
    reduce_rows(count, mean.data(), of_row, add_to);
    for (Index r = 0; r < count; ++r) {
      back(p[first + r], d_p[first + r], mean[static_cast<std::size_t>(r)], d_z[first + r], n,
           args.fresh[0]);
    }
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
  if (!mask.hides()) return softmax_of_all(args.in[0], args.out);
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
    using In = ShortRows<const T>;
    const bool all_short = is_short(args.out) && is_short(args.d_out) && is_short(args.d_in[0]);
    all_short ? back_all(In{args.out.data}, In{args.d_out.data}, ShortRows<T>{args.d_in[0].data},
                         args, ShortRow())
              : back_all(p, d_p, d_z, args, n);
    return;
  }
  Index r = 0;
  for_each_query(mask, args.out.shape, [&](Index, Index, const VisibleKeys& keys) {
    if (args.fresh[0]) std::fill_n(d_z[r], n, T(0));
    if (keys.allowed != nullptr) {
      back_allowed(p[r], d_p[r], d_z[r], keys);
    } else {
      const T mean = reduce_lanes(lane_dots(p[r], d_p[r], keys.count), add_to);
      back(p[r], d_p[r], mean, d_z[r], keys.count, false);
    }
    ++r;
  });
}

template void SoftmaxRows::forward(const ForwardArgs<float>&) const;
template void SoftmaxRows::forward(const ForwardArgs<double>&) const;
template void SoftmaxRows::vjp(const VjpArgs<float>&) const;
template void SoftmaxRows::vjp(const VjpArgs<double>&) const;

}  // namespace rootdk
