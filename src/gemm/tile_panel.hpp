#pragma once
// A product of some rows of A with one panel of B, by register tiles: a block of C stays in vector
// registers while its row of products is summed, so that each load of A or B feeds several
// multiply-adds, fused where the processor can.
#include <type_traits>

#include "multiply_add.hpp"
#include "rootdk/gemm/gemm.hpp"

namespace rootdk {

// Sums of a full tile: 8 x 2 where there are 32 registers, 6 x 2 where there are 16, of AVX.
constexpr Index tile_rows = register_bytes == 64 ? 8 : register_bytes == 32 ? 6 : 4;
// Columns of a full tile: two registers.
template <class T>
constexpr Index tile_columns = 2 * register_lanes<T>;

// Some columns of op(B): B[l][j] for l < k, j < width, of which the first `columns` are wanted.
template <class T>
struct Panel {
  const T* first;
  Index step;  // between its rows
  Index width;
  Index columns;
};

// One tile: C[i][j] = alpha sum_l A[i][l] B[l][j] + beta C[i][j] for `rows` rows and as many columns
// as `registers` vectors V hold.
template <class T, class V, Index rows, Index registers, bool transpose_a>
void multiply_tile(Index k, T alpha, const T* a, Index lda, const T* b, Index b_step, T beta, T* c,
                   Index ldc) {
  constexpr Index lanes = sizeof(V) / sizeof(T);
  V sum[rows][registers];  // set entry by entry: as a whole it would be zeroed in memory
  for (Index i = 0; i < rows; ++i) {
    __builtin_prefetch(c + i * ldc, 1);
    for (Index r = 0; r < registers; ++r) sum[i][r] = V{};
  }
  Index l = 0;
  do {  // k >= 1, or the sums would have to be in memory for the case that none is formed
    V right[registers];
    for (Index r = 0; r < registers; ++r) {
      right[r] = load<V>(b + l * b_step + r * lanes);
    }
    for (Index i = 0; i < rows; ++i) {
      const T left = transpose_a ? a[l * lda + i] : a[i * lda + l];
      for (Index r = 0; r < registers; ++r) multiply_add(sum[i][r], left, right[r]);
    }
  } while (++l < k);
  for (Index i = 0; i < rows; ++i) {
    for (Index r = 0; r < registers; ++r) {
      T* to = c + i * ldc + r * lanes;
      V value = alpha * sum[i][r];
      if (beta != T(0)) value += beta * load<V>(to);
      store(to, value);
    }
  }
}

// All rows of A against one panel of B.
template <class T, class V, Index registers, bool transpose_a>
void multiply_panel(const Gemm<T>& part, const Panel<T>& b) {
  const auto block = [&]<Index rows>(std::integral_constant<Index, rows>, Index i) {
    const T* a = transpose_a ? part.a + i : part.a + i * part.lda;
    multiply_tile<T, V, rows, registers, transpose_a>(part.k, part.alpha, a, part.lda, b.first,
                                                      b.step, part.beta, part.c + i * part.ldc,
                                                      part.ldc);
  };
  // A narrow tile leaves registers for more rows; where each row of A is a pointer of its own there
  // are too few of those.
  constexpr Index most = transpose_a ? 2 / registers * tile_rows : tile_rows;
  Index i = 0;
  for (; i + most <= part.m; i += most) block(std::integral_constant<Index, most>(), i);
  for (; i + 4 <= part.m; i += 4) block(std::integral_constant<Index, 4>(), i);
  for (; i < part.m; ++i) block(std::integral_constant<Index, 1>(), i);
}

template <class T>
using HalfRegister = Vector<T, register_lanes<T> / 2>;

// Panels are one of three widths: two registers, one, or half of one.
template <class T>
Index panel_width(Index columns_left) {
  constexpr Index lanes = register_lanes<T>;
  return columns_left > lanes ? 2 * lanes : columns_left > lanes / 2 ? lanes : lanes / 2;
}

template <class T, bool transpose_a>
void multiply_panel(const Gemm<T>& part, const Panel<T>& b) {
  if (b.width == tile_columns<T>) return multiply_panel<T, Register<T>, 2, transpose_a>(part, b);
  if (b.width == register_lanes<T>) return multiply_panel<T, Register<T>, 1, transpose_a>(part, b);
  multiply_panel<T, HalfRegister<T>, 1, transpose_a>(part, b);
}

}  // namespace rootdk
