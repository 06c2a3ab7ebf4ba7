#pragma once
// Transposition through vector registers; inlined, or the rows would go through memory.
#include <algorithm>
#include <utility>

#include "vector.hpp"

namespace rootdk {

// Of the 2 x 2 blocks of extent h into which rows i and i + h fall, the two off the diagonal change
// places: a keeps its even blocks and gets those of b, b the other way round.
template <Index h, class V, std::size_t... e>
[[gnu::always_inline]] inline void swap_blocks(V& a, V& b, std::index_sequence<e...>) {
  constexpr std::size_t lanes = sizeof...(e), step = static_cast<std::size_t>(h);
  const V upper = __builtin_shufflevector(a, b, ((e & step) == 0 ? e : lanes + e - step)...);
  const V lower = __builtin_shufflevector(a, b, ((e & step) == 0 ? e + step : lanes + e)...);
  a = upper;
  b = lower;
}

// The lanes x lanes matrix whose rows are row[0], row[1], ... becomes its transpose: blocks of half
// its extent change places, then those within each block, and so on.
template <Index h, Index lanes, class V>
[[gnu::always_inline]] inline void transpose_rows(V (&row)[lanes]) {
  for (Index i = 0; i < lanes; ++i) {
    if ((i & h) == 0) {
      swap_blocks<h>(row[i], row[i + h],
                     std::make_index_sequence<static_cast<std::size_t>(lanes)>());
    }
  }
  if constexpr (h > 1) transpose_rows<h / 2>(row);
}

// to[j][i] = from[i][j] for i < rows, j < columns.
template <class T>
void transpose_into(const T* from, Index from_step, Index rows, Index columns, T* to,
                    Index to_step) {
  // Rows of 64 bytes would be slower (measured, by half): each entry is exchanged once more.
  constexpr Index lanes = std::min<Index>(32, register_bytes) / static_cast<Index>(sizeof(T));
  using V = Vector<T, lanes>;
  Index i = 0;
  for (; i + lanes <= rows; i += lanes) {
    Index j = 0;
    for (; j + lanes <= columns; j += lanes) {
      V row[lanes];
      for (Index r = 0; r < lanes; ++r) row[r] = load<V>(from + (i + r) * from_step + j);
      transpose_rows<lanes / 2>(row);
      for (Index r = 0; r < lanes; ++r) store(to + (j + r) * to_step + i, row[r]);
    }
    for (; j < columns; ++j) {
      for (Index r = 0; r < lanes; ++r) to[j * to_step + i + r] = from[(i + r) * from_step + j];
    }
  }
  for (; i < rows; ++i) {
    for (Index j = 0; j < columns; ++j) to[j * to_step + i] = from[i * from_step + j];
  }
}

}  // namespace rootdk
