#pragma once
#include "rootdk/autodiff/view.hpp"
#include "rootdk/named.hpp"

namespace rootdk {

// How matrix products are computed.
//   tile       by blocks that stay in vector registers, as wide as the compiler was told they are
//   cblas      by the system's OpenBLAS, which this library sets to one thread for the whole process;
//              like tile, it may differ in last bits between processors. Throws std::invalid_argument
//              for an extent that its integers do not hold.
//   reference  a triple loop whose bits depend on nothing but its inputs: the oracle
enum class GemmBackend { tile, cblas, reference };

inline constexpr GemmBackend default_gemm = GemmBackend::tile;

// The names in configs and CSVs, that of a value, and the value of a name, which throws
// std::invalid_argument that lists the names.
std::span<const Named<GemmBackend>> gemm_table();
std::string_view to_string(GemmBackend backend);
GemmBackend gemm_backend(std::string_view word);

// C = alpha op(A) op(B) + beta C, row-major, with op(X) = X or X^T.
//   op(A) is m x k, op(B) is k x n, C is m x n; lda, ldb, ldc are the steps between stored rows.
// beta = 0 overwrites C, whatever it held; beta = 1 adds a product to a gradient. C overlaps neither. With
// alpha = 0 cblas does not read A and B, while the others multiply, and NaN passes.
template <class T>
struct Gemm {
  bool transpose_a = false;
  bool transpose_b = false;
  Index m = 0, n = 0, k = 0;
  T alpha = 1;
  const T* a = nullptr;
  Index lda = 0;
  const T* b = nullptr;
  Index ldb = 0;
  T beta = 0;
  T* c = nullptr;
  Index ldc = 0;
};

template <class T>
void gemm(GemmBackend backend, const Gemm<T>& call);

// The same on views: C = alpha A B + beta C, matrix by matrix over the leading axes. An A or B of rank
// 2 takes part in every product; a C of rank 2 gets the sum of all. Each view has a unit step along
// its rows or, seen transposed, along its columns; throws std::invalid_argument otherwise, or when the
// shapes do not fit.
template <class T>
void gemm(GemmBackend backend, T alpha, View<const T> a, View<const T> b, T beta, View<T> c);

// What `tile` was compiled for, and the library behind `cblas` as it reports itself: name, version,
// kernel and threads.
std::string_view tile_description();
std::string_view blas_description();

}  // namespace rootdk
