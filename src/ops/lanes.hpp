#pragma once
// Sixteen numbers side by side, and their reductions: combined pairwise, in an order that is a property of
// the code and not of the registers it is compiled for.
#include <utility>

#include "../gemm/vector.hpp"

namespace rootdk {

inline constexpr Index lanes = 16;

// Numbers that take more than one register: the first half of them and the second.
template <class Half>
struct Pair {
  Half low, high;

  [[gnu::always_inline]] Pair& operator+=(const Pair& y) {
    low += y.low;
    high += y.high;
    return *this;
  }
  [[gnu::always_inline]] friend Pair operator-(const Pair& x, const Pair& y) {
    return {x.low - y.low, x.high - y.high};
  }
  [[gnu::always_inline]] friend Pair operator*(const Pair& x, const Pair& y) {
    return {x.low * y.low, x.high * y.high};
  }
};

template <class T, Index count, bool fits = (count <= register_lanes<T>)>
struct LanesOf {
  using type = Vector<T, count>;
};
template <class T, Index count>
struct LanesOf<T, count, false> {
  using type = Pair<typename LanesOf<T, count / 2>::type>;
};
template <class T>
using Lanes = typename LanesOf<T, lanes>::type;

template <class V>
inline constexpr bool is_pair = false;
template <class Half>
inline constexpr bool is_pair<Pair<Half>> = true;

template <class T, class V = Lanes<T>>
[[gnu::always_inline]] inline V load_lanes(const T* from) {
  if constexpr (is_pair<V>) {
    using Half = decltype(V::low);
    constexpr auto half = sizeof(Half) / sizeof(T);
    return {load_lanes<T, Half>(from), load_lanes<T, Half>(from + half)};
  } else {
    return load<V>(from);
  }
}

template <class T, class V>
[[gnu::always_inline]] inline void store_lanes(T* to, const V& value) {
  if constexpr (is_pair<V>) {
    store_lanes(to, value.low);
    store_lanes(to + sizeof(value.low) / sizeof(T), value.high);
  } else {
    store(to, value);
  }
}

inline constexpr auto add_to = [](auto& x, const auto& y) { x += y; };

struct KeepLarger {
  template <class V>
  [[gnu::always_inline]] void operator()(V& x, const V& y) const {
    if constexpr (is_pair<V>) {
      (*this)(x.low, y.low);
      (*this)(x.high, y.high);
    } else {
      x = x < y ? y : x;
    }
  }
};
inline constexpr KeepLarger keep_larger;

// The entries of x from `half` on, in front.
template <Index half, class V, std::size_t... e>
[[gnu::always_inline]] inline V upper_half(const V& x, std::index_sequence<e...>) {
  return __builtin_shufflevector(x, x, ((e + static_cast<std::size_t>(half)) % sizeof...(e))...);
}

// Lane 0 with lane 8, 1 with 9, ...; then 0 with 4, ...; 0 with 2, ...; 0 with 1.
template <Index half = lanes / 2, class V, class Combine>
[[gnu::always_inline]] inline auto reduce_lanes(const V& all, const Combine& combine) {
  if constexpr (is_pair<V>) {
    auto x = all.low;
    combine(x, all.high);
    return reduce_lanes<half / 2>(x, combine);
  } else {
    constexpr std::size_t count = sizeof(V) / sizeof(all[0]);
    V x = all;
    combine(x, upper_half<half>(x, std::make_index_sequence<count>()));
    if constexpr (half > 1) {
      return reduce_lanes<half / 2>(x, combine);
    } else {
      return x[0];
    }
  }
}

// Two sets of rows, each spread over groups of 2 `half` lanes of its vector: of every group the first
// half (`from` = 0) or the second (`from` = half), x's groups with y's by turns. Of 8 lanes, half = 2 and
// from = 0:  x0 x1 y0 y1 x4 x5 y4 y5
template <Index half, Index from, class V, std::size_t... e>
[[gnu::always_inline]] inline V half_groups(const V& x, const V& y, std::index_sequence<e...>) {
  constexpr auto h = static_cast<std::size_t>(half), n = sizeof...(e);
  return __builtin_shufflevector(
      x, y, (e / h % 2 * n + e / (2 * h) * 2 * h + e % h + static_cast<std::size_t>(from))...);
}
template <Index half, Index from, Index count = lanes, class V>
[[gnu::always_inline]] inline V half_groups(const V& x, const V& y) {
  if constexpr (!is_pair<V>) {
    return half_groups<half, from>(x, y, std::make_index_sequence<count>());
  } else if constexpr (count == 2 * half) {
    return {from == 0 ? x.low : x.high, from == 0 ? y.low : y.high};
  } else {
    return {half_groups<half, from, count / 2>(x.low, y.low),
            half_groups<half, from, count / 2>(x.high, y.high)};
  }
}

// Lane r of the result is reduce_lanes(rows[r]), to the bit: every step does for two rows what
// reduce_lanes does for one, which leaves a quarter of the instructions.
template <Index half = lanes / 2, class V, class Combine>
[[gnu::always_inline]] inline V reduce_each(V (&rows)[2 * half], const Combine& combine) {
  V halves[half];
  for (Index r = 0; r < half; ++r) {
    halves[r] = half_groups<half, 0>(rows[r], rows[r + half]);
    combine(halves[r], half_groups<half, half>(rows[r], rows[r + half]));
  }
  if constexpr (half > 1) {
    return reduce_each<half / 2>(halves, combine);
  } else {
    return halves[0];
  }
}

}  // namespace rootdk
