#pragma once
// A product whose left operand is zero where a mask hides it.
#include "rootdk/gemm/gemm.hpp"
#include "rootdk/ops/mask.hpp"
#include "row_kernels.hpp"

namespace rootdk {

// y += s L x, or y += s L^T x, for an L (queries x keys) that holds zeros where keys_of_row(i), the keys
// that its row i sees, hides them. With all of x finite that is a plain product; otherwise hidden entries
// are skipped, since 0 * NaN is not 0. `hides`: whether any entry of L is hidden.
template <class T, class KeysOfRow>
void add_masked_product(GemmBackend backend, T s, const View<const T>& l, bool transpose_l,
                        const View<const T>& x, const View<T>& y, bool hides,
                        const KeysOfRow& keys_of_row) {
  if (!hides || all_finite(x)) {
    gemm<T>(backend, s, transpose_l ? l.transposed() : l, x, T(1), y);
    return;
  }
  for (Index i = 0; i < l.shape[0]; ++i) {
    const VisibleKeys seen = keys_of_row(i);
    for (Index j = 0; j < seen.count; ++j) {
      if (!seen.sees(j)) continue;
      const Index to = transpose_l ? j : i, from = transpose_l ? i : j;
      for (Index c = 0; c < x.shape[1]; ++c) y(to, c) += s * l(i, j) * x(from, c);
    }
  }
}

}  // namespace rootdk
