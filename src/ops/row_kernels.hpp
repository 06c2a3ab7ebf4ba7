#pragma once
// Passes over contiguous rows. Reductions run in 16 interleaved lanes, whose results are then combined
// pairwise: the order is a property of the code, not of the registers it is compiled for. Rows are often
// as short as 16 entries, so nothing here is called: all of it is inlined.
#include <utility>

#include "../gemm/vector.hpp"
#include "rootdk/autodiff/view.hpp"

namespace rootdk {

inline constexpr Index lanes = 16;
template <class T>
using Lanes = Vector<T, lanes>;

// The lanes of x from `half` on, in front.
template <Index half, class V, std::size_t... e>
[[gnu::always_inline]] inline V upper_lanes(const V& x, std::index_sequence<e...>) {
  return __builtin_shufflevector(x, x, ((e + static_cast<std::size_t>(half)) % sizeof...(e))...);
}

// Lane 0 with lane 8, 1 with 9, ...; then 0 with 4, ...; 0 with 2, ...; 0 with 1.
template <Index half = lanes / 2, class V, class Combine>
[[gnu::always_inline]] inline auto reduce_lanes(const V& all, const Combine& combine) {
  V x = all;
  combine(x, upper_lanes<half>(x, std::make_index_sequence<static_cast<std::size_t>(lanes)>()));
  if constexpr (half > 1) {
    return reduce_lanes<half / 2>(x, combine);
  } else {
    return x[0];
  }
}

inline constexpr auto add_to = [](auto& x, const auto& y) { x += y; };
inline constexpr auto raise_to = [](auto& x, const auto& y) { x = x < y ? y : x; };

// Two sets of rows, each spread over groups of 2 `half` lanes of its vector: of every group the first
// half (`from` = 0) or the second (`from` = half), x's groups with y's by turns.
template <Index half, Index from, class V, std::size_t... e>
[[gnu::always_inline]] inline V half_groups(const V& x, const V& y, std::index_sequence<e...>) {
  constexpr auto h = static_cast<std::size_t>(half), n = sizeof...(e);
  return __builtin_shufflevector(
      x, y, (e / h % 2 * n + e / (2 * h) * 2 * h + e % h + static_cast<std::size_t>(from))...);
}

// Lane r of the result is reduce_lanes(rows[r]), to the bit: every step does for two rows what
// reduce_lanes does for one, which leaves a quarter of the instructions.
template <Index half = lanes / 2, class V, class Combine>
[[gnu::always_inline]] inline V reduce_each(V (&rows)[2 * half], const Combine& combine) {
  constexpr auto all = std::make_index_sequence<static_cast<std::size_t>(lanes)>();
  V halves[half];
  for (Index r = 0; r < half; ++r) {
    halves[r] = half_groups<half, 0>(rows[r], rows[r + half], all);
    combine(halves[r], half_groups<half, half>(rows[r], rows[r + half], all));
  }
  if constexpr (half > 1) {
    return reduce_each<half / 2>(halves, combine);
  } else {
    return halves[0];
  }
}

// to[r] = reduce_lanes(of_row(r)) for a number of rows.
template <class T, class OfRow, class Combine>
[[gnu::always_inline]] inline void reduce_rows(Index count, T* to, const OfRow& of_row,
                                               const Combine& combine) {
  Index r = 0;
  for (; r + lanes <= count; r += lanes) {
    Lanes<T> rows[lanes];
    for (Index i = 0; i < lanes; ++i) rows[i] = of_row(r + i);
    store(to + r, reduce_each(rows, combine));
  }
  for (; r < count; ++r) to[r] = reduce_lanes(of_row(r), combine);
}

// The first `count` < 16 entries, and zeros or what else is given.
template <class T>
[[gnu::always_inline]] inline Lanes<T> load_some(const T* x, Index count, T others = 0) {
  Lanes<T> some = Lanes<T>{} + others;
  std::memcpy(&some, x, static_cast<std::size_t>(count) * sizeof(T));
  return some;
}

// A row's 16 sums, each over every 16th entry.
template <class T>
[[gnu::always_inline]] inline Lanes<T> lane_sums(const T* x, Index count) {
  Lanes<T> sum{};
  Index j = 0;
  for (; j + lanes <= count; j += lanes) sum += load<Lanes<T>>(x + j);
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
  for (; j + lanes <= count; j += lanes) sum += load<Lanes<T>>(x + j) * load<Lanes<T>>(y + j);
  if (j < count) sum += load_some(x + j, count - j) * load_some(y + j, count - j);
  return sum;
}

// to[j] = f(from[j]...): f is applied to 16 entries of each row at a time, and to what is left one by
// one. `to` may be one of the rows it is computed from.
template <class T, class Function, class... From>
[[gnu::always_inline]] inline void map_rows(Index count, T* to, const Function& f,
                                            const From*... from) {
  Index j = 0;
  for (; j + lanes <= count; j += lanes) {
    store(to + j, static_cast<Lanes<T>>(f(load<Lanes<T>>(from + j)...)));
  }
  for (; j < count; ++j) to[j] = f(from[j]...);
}

// x - x is 0, or NaN where x is not finite.
template <class T>
[[gnu::always_inline]] inline bool all_finite(const T* x, Index count) {
  Lanes<T> sum{};
  Index j = 0;
  for (; j + lanes <= count; j += lanes) sum += load<Lanes<T>>(x + j) - load<Lanes<T>>(x + j);
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
  auto most = load<Lanes<T>>(x);
  Index j = lanes;
  for (; j + lanes <= count; j += lanes) raise_to(most, load<Lanes<T>>(x + j));
  if (j < count) raise_to(most, load_some(x + j, count - j, x[0]));
  return most;
}

template <class T>
[[gnu::always_inline]] inline T max_of(const T* x, Index count) {
  return reduce_lanes(lane_maxima(x, count), raise_to);
}

}  // namespace rootdk
