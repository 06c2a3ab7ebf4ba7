#include "backends.hpp"

namespace rootdk {

// Each entry of C sums its products in the order of the inner index, and the compiler may not
// contract them, so the bits are those of the definition on any machine. The loop over columns is
// the inner one: it vectorises without reordering any sum.
template <class T>
void gemm_reference(const Gemm<T>& call) {
  const auto [transpose_a, transpose_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc] = call;
  for (Index i = 0; i < m; ++i) {
    T* row = c + i * ldc;
    for (Index j = 0; j < n; ++j) row[j] = beta == T(0) ? T(0) : beta * row[j];
    for (Index l = 0; l < k; ++l) {
      const T factor = alpha * (transpose_a ? a[l * lda + i] : a[i * lda + l]);
      const T* column = transpose_b ? b + l : b + l * ldb;
      const Index step = transpose_b ? ldb : 1;
      for (Index j = 0; j < n; ++j) row[j] += factor * column[j * step];
    }
  }
}

template void gemm_reference(const Gemm<float>&);
template void gemm_reference(const Gemm<double>&);

}  // namespace rootdk
