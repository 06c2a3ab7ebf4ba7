#pragma once
// A tile of a matrix of scores, and what a mask does to it.
#include <algorithm>

#include "masked_product.hpp"

namespace rootdk {

// Queries [query, query + queries) by keys [key, key + keys) of the scores of one sequence.
struct ScoreTile {
  const Mask& mask;
  Index sequence, n_keys;  // n_keys of the whole matrix
  Index query, queries;
  Index key, keys;  // ends where the last of the queries stops seeing; 0 when nothing is left
  bool partial;     // hides some of its entries

  // What its row i may see, keys counted from the tile's first.
  VisibleKeys row(Index i) const {
    VisibleKeys seen = mask.row(sequence, query + i, n_keys);
    seen.count = std::clamp<Index>(seen.count - key, 0, keys);
    if (seen.allowed != nullptr) seen.allowed += key;
    return seen;
  }

  // Writes `value` over the hidden entries of a contiguous (queries x keys) matrix.
  template <class T>
  void hide(const View<T>& x, T value) const {
    if (!partial) return;
    for (Index i = 0; i < queries; ++i) {
      T* __restrict of_row = x.row(i);
      const VisibleKeys seen = row(i);
      std::fill(of_row + seen.count, of_row + keys, value);
      if (seen.allowed == nullptr) continue;
      const bool* allowed = seen.allowed;
      for (Index j = 0; j < seen.count; ++j) of_row[j] = allowed[j] ? of_row[j] : value;
    }
  }

  // y += L x and y += L^T x for L (queries x keys) that is zero where hidden.
  template <class T>
  void add_product(GemmBackend backend, const View<const T>& l, const View<const T>& x,
                   const View<T>& y) const {
    add_masked_product(backend, T(1), l, false, x, y, partial, [&](Index i) { return row(i); });
  }
  template <class T>
  void add_transposed_product(GemmBackend backend, const View<const T>& l, const View<const T>& x,
                              const View<T>& y) const {
    add_masked_product(backend, T(1), l, true, x, y, partial, [&](Index i) { return row(i); });
  }
};

}  // namespace rootdk
