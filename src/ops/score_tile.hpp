#pragma once
// A tile of a matrix of scores, and what a mask does to it.
#include <algorithm>

#include "rootdk/gemm/gemm.hpp"
#include "rootdk/ops/mask.hpp"
#include "row_kernels.hpp"

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

  // y += L x and y += L^T x for L (queries x keys) that is zero where hidden. With all of
  // x finite these are plain products; otherwise hidden entries are skipped, since 0 * NaN is not 0.
  template <class T>
  void add_product(GemmBackend backend, const View<const T>& l, const View<const T>& x,
                   const View<T>& y) const {
    if (!partial || all_finite(x)) {
      gemm<T>(backend, T(1), l, x, T(1), y);
    } else {
      for_each_visible([&](Index i, Index j) { add_row(l(i, j), x, j, y, i); });
    }
  }
  template <class T>
  void add_transposed_product(GemmBackend backend, const View<const T>& l, const View<const T>& x,
                              const View<T>& y) const {
    if (!partial || all_finite(x)) {
      gemm<T>(backend, T(1), l.transposed(), x, T(1), y);
    } else {
      for_each_visible([&](Index i, Index j) { add_row(l(i, j), x, i, y, j); });
    }
  }

 private:
  template <class Visit>
  void for_each_visible(Visit&& visit) const {
    for (Index i = 0; i < queries; ++i) {
      const VisibleKeys seen = row(i);
      for (Index j = 0; j < seen.count; ++j) {
        if (seen.sees(j)) visit(i, j);
      }
    }
  }
  template <class T>
  static void add_row(T weight, const View<const T>& x, Index from, const View<T>& y, Index to) {
    for (Index c = 0; c < x.shape[1]; ++c) y(to, c) += weight * x(from, c);
  }
};

}  // namespace rootdk
