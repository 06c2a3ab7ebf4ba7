#pragma once
// Passes over contiguous rows. Reductions run in 16 interleaved lanes, which are combined at the end: see
// lanes.hpp. Rows are often as short as 16 entries, so nothing here is called: all of it is inlined.
#include <algorithm>

#include "lanes.hpp"
#include "rootdk/autodiff/view.hpp"

namespace rootdk {

// to[r] = reduce_lanes(of_row(r)) for a number of rows.
template <class T, class OfRow, class Combine>
[[gnu::always_inline]] inline void reduce_rows(Index count, T* to, const OfRow& of_row,
                                               const Combine& combine) {
  Index r = 0;
  for (; r + lanes <= count; r += lanes) {
    Lanes<T> rows[lanes];
    for (Index i = 0; i < lanes; ++i) rows[i] = of_row(r + i);
    store_lanes(to + r, reduce_each(rows, combine));
  }
  for (; r < count; ++r) to[r] = reduce_lanes(of_row(r), combine);
}

// The first `count` < 16 entries, and zeros or what else is given.
template <class T>
[[gnu::always_inline]] inline Lanes<T> load_some(const T* x, Index count, T others = 0) {
  T some[lanes];
  std::fill_n(some, lanes, others);
  std::copy_n(x, count, some);
  return load_lanes(some);
}

// A row's 16 sums, each over every 16th entry.
template <class T>
[[gnu::always_inline]] inline Lanes<T> lane_sums(const T* x, Index count) {
  Lanes<T> sum{};
  Index j = 0;
  for (; j + lanes <= count; j += lanes) sum += load_lanes(x + j);
  if (j < count) sum += load_some(x + j, count - j);
  return sum;
}

template <class T>
[[gnu::always_inline]] inline T sum_of(const T* x, Index count) {
  return reduce_lanes(lane_sums(x, count), add_to);
}

// The same of the products of two rows.
template <class T>
[[gnu::always_inline]] inline Lanes<T> lane_dots(const T* x, const T* y, Index count) {
  Lanes<T> sum{};
  Index j = 0;
  for (; j + lanes <= count; j += lanes) sum += load_lanes(x + j) * load_lanes(y + j);
  if (j < count) sum += load_some(x + j, count - j) * load_some(y + j, count - j);
  return sum;
}

// to[j] = f(from[j]...): f is applied to a register of each row at a time, and to what is left one by
// one. `to` may be one of the rows it is computed from.
template <class T, class Function, class... From>
[[gnu::always_inline]] inline void map_rows(Index count, T* to, const Function& f,
                                            const From*... from) {
  constexpr Index wide = register_lanes<T>;
  Index j = 0;
  for (; j + wide <= count; j += wide) {
    store(to + j, static_cast<Register<T>>(f(load<Register<T>>(from + j)...)));
  }
  for (; j < count; ++j) to[j] = f(from[j]...);
}

// x - x is 0, or NaN where x is not finite.
template <class T>
[[gnu::always_inline]] inline bool all_finite(const T* x, Index count) {
  Lanes<T> sum{};
  Index j = 0;
  for (; j + lanes <= count; j += lanes) sum += load_lanes(x + j) - load_lanes(x + j);
  if (j < count) sum += load_some(x + j, count - j) - load_some(x + j, count - j);
  return reduce_lanes(sum, add_to) == T(0);
}

// The same of a matrix, fast where its rows or columns are contiguous.
template <class T>
bool all_finite(const View<const T>& matrix) {
  const View<const T> rows = matrix.has_contiguous_rows() ? matrix : matrix.transposed();
  const Index width = rows.shape[1], step = rows.step(1);
  for (Index i = 0; i < rows.shape[0]; ++i) {
    const T* x = rows.row(i);
    for (Index j = 0; step != 1 && j < width; ++j) {
      if (!all_finite(x + j * step, 1)) return false;
    }
    if (step == 1 && !all_finite(x, width)) return false;
  }
  return true;
}

// A row's 16 maxima, each over every 16th entry; count >= 1. A NaN may be passed over: whoever
// exponentiates the row meets it.
template <class T>
[[gnu::always_inline]] inline Lanes<T> lane_maxima(const T* x, Index count) {
  if (count < lanes) return load_some(x, count, x[0]);
  auto most = load_lanes(x);
  Index j = lanes;
  for (; j + lanes <= count; j += lanes) keep_larger(most, load_lanes(x + j));
  if (j < count) keep_larger(most, load_some(x + j, count - j, x[0]));
  return most;
}

template <class T>
[[gnu::always_inline]] inline T max_of(const T* x, Index count) {
  return reduce_lanes(lane_maxima(x, count), keep_larger);
}

}  // namespace rootdk
