// A product by register tiles: a block of C stays in vector registers while its row of products is
// summed, so that each load of A or B feeds several multiply-adds, fused where the processor can.
//
// Every entry of C sums its products in the order of the inner index, `depth` at a time, and every
// operation on it is the same: equal rows of A and equal columns of B give equal entries, to the bit,
// wherever they lie. Exact zeros of saturated gradients hang on it.
#include <algorithm>
#include <type_traits>

#include "backends.hpp"
#include "multiply_add.hpp"
#include "transpose_block.hpp"

namespace rootdk {
namespace {

#if defined(__AVX512F__)
constexpr Index register_bytes = 64, tile_rows = 8;  // 8 x 2 sums in 32 registers
constexpr std::string_view instructions = "AVX-512, fused multiply-add";
#elif defined(__AVX__)
constexpr Index register_bytes = 32, tile_rows = 4;  // 4 x 2 sums in 16 registers
#ifdef __FMA__
constexpr std::string_view instructions = "AVX, fused multiply-add";
#else
constexpr std::string_view instructions = "AVX";
#endif
#else
constexpr Index register_bytes = 16, tile_rows = 4;
constexpr std::string_view instructions = "registers of 16 bytes";
#endif

template <class T>
constexpr Index register_lanes = register_bytes / static_cast<Index>(sizeof(T));
// Columns of a full tile: two registers.
template <class T>
constexpr Index tile_columns = 2 * register_lanes<T>;
// Products of a sum between two visits to C: a panel of B, depth x tile_columns, stays in the
// first-level cache.
constexpr Index depth = 256;

// B[l][j] for l < k, j < columns of the tile.
template <class T>
struct Panel {
  const T* first;
  Index step;  // between its rows
};

// One tile: C[i][j] = alpha sum_l A[i][l] B[l][j] + beta C[i][j] for `rows` rows and as many columns
// as `registers` vectors V hold.
template <class T, class V, Index rows, Index registers, bool transpose_a>
void multiply_tile(Index k, T alpha, const T* a, Index lda, Panel<T> b, T beta, T* c, Index ldc) {
  constexpr Index lanes = sizeof(V) / sizeof(T);
  V sum[rows][registers];  // set entry by entry: as a whole it would be zeroed in memory
  for (Index i = 0; i < rows; ++i) {
    for (Index r = 0; r < registers; ++r) sum[i][r] = V{};
  }
  for (Index l = 0; l < k; ++l) {
    V right[registers];
    for (Index r = 0; r < registers; ++r) {
      right[r] = load<V>(b.first + l * b.step + r * lanes);
    }
    for (Index i = 0; i < rows; ++i) {
      const T left = transpose_a ? a[l * lda + i] : a[i * lda + l];
      for (Index r = 0; r < registers; ++r) multiply_add(sum[i][r], left, right[r]);
    }
  }
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
void multiply_panel(const Gemm<T>& part, Panel<T> b) {
  const auto block = [&]<Index rows>(std::integral_constant<Index, rows>, Index i) {
    const T* a = transpose_a ? part.a + i : part.a + i * part.lda;
    multiply_tile<T, V, rows, registers, transpose_a>(part.k, part.alpha, a, part.lda, b, part.beta,
                                                      part.c + i * part.ldc, part.ldc);
  };
  // A narrow tile leaves registers for more rows; where each row of A is a pointer of its own there
  // are too few of those.
  constexpr Index most = transpose_a ? 2 / registers * tile_rows : tile_rows;
  Index i = 0;
  for (; i + most <= part.m; i += most) block(std::integral_constant<Index, most>(), i);
  for (; i + 4 <= part.m; i += 4) block(std::integral_constant<Index, 4>(), i);
  for (; i < part.m; ++i) block(std::integral_constant<Index, 1>(), i);
}

template <class T, Index bytes>
using Register = Vector<T, bytes / static_cast<Index>(sizeof(T))>;

// Panels are one of three widths: two registers, one, or half of one.
template <class T>
Index panel_width(Index columns_left) {
  constexpr Index lanes = register_lanes<T>;
  return columns_left > lanes ? 2 * lanes : columns_left > lanes / 2 ? lanes : lanes / 2;
}

template <class T, bool transpose_a>
void multiply_panel(const Gemm<T>& part, Panel<T> b, Index width) {
  using Full = Register<T, register_bytes>;
  using Half = Register<T, register_bytes / 2>;
  if (width == tile_columns<T>) return multiply_panel<T, Full, 2, transpose_a>(part, b);
  if (width == register_lanes<T>) return multiply_panel<T, Full, 1, transpose_a>(part, b);
  multiply_panel<T, Half, 1, transpose_a>(part, b);
}

// The panel of op(B) in rows of `width`, with zeros behind its last column.
template <class T>
void pack(const Gemm<T>& part, Index width, T* packed) {
  if (part.transpose_b) {
    transpose_into(part.b, part.ldb, part.n, part.k, packed, width);
  } else if (part.n == width) {
    using Half = Register<T, register_bytes / 2>;
    constexpr Index lanes = register_lanes<T> / 2;
    for (Index l = 0; l < part.k; ++l) {
      for (Index j = 0; j < width; j += lanes) {
        store(packed + l * width + j, load<Half>(part.b + l * part.ldb + j));
      }
    }
  } else {
    for (Index j = 0; j < part.n; ++j) {
      for (Index l = 0; l < part.k; ++l) packed[l * width + j] = part.b[l * part.ldb + j];
    }
  }
  for (Index j = part.n; j < width; ++j) {
    for (Index l = 0; l < part.k; ++l) packed[l * width + j] = 0;
  }
}

// Columns that do not fill their panel go through a block of their own, some rows at a time.
template <class T, bool transpose_a>
void multiply_partial_panel(const Gemm<T>& part, Panel<T> b, Index width) {
  constexpr Index rows_at_once = 4 * tile_rows;
  alignas(64) T block[rows_at_once * tile_columns<T>];
  for (Index i = 0; i < part.m; i += rows_at_once) {
    Gemm<T> some = part;
    some.m = std::min(rows_at_once, part.m - i);
    some.a = transpose_a ? part.a + i : part.a + i * part.lda;
    some.beta = 0;
    some.c = block;
    some.ldc = width;
    multiply_panel<T, transpose_a>(some, b, width);
    for (Index r = 0; r < some.m; ++r) {
      T* c = part.c + (i + r) * part.ldc;
      for (Index j = 0; j < part.n; ++j) {
        c[j] = block[r * width + j] + (part.beta == T(0) ? T(0) : part.beta * c[j]);
      }
    }
  }
}

// Rows of B further apart than a page would meet in few sets of the cache and each need an entry of
// the page table's cache; with few rows of A, copying does not pay.
template <class T>
bool wants_packing(const Gemm<T>& part, Index width) {
  return part.transpose_b || part.n < width || (part.ldb > width && part.m > 4 * tile_rows);
}

template <class T, bool transpose_a>
void multiply(const Gemm<T>& call) {
  alignas(64) T packed[depth * tile_columns<T>];
  for (Index l = 0; l < call.k; l += depth) {
    for (Index j = 0; j < call.n;) {
      const Index width = panel_width<T>(call.n - j);
      Gemm<T> part = call;
      part.n = std::min(width, call.n - j);
      part.k = std::min(depth, call.k - l);
      part.a += transpose_a ? l * call.lda : l;
      part.b += call.transpose_b ? j * call.ldb + l : l * call.ldb + j;
      part.c += j;
      if (l > 0) part.beta = 1;
      Panel<T> panel{part.b, part.ldb};
      if (wants_packing(part, width)) {
        pack(part, width, packed);
        panel = {packed, width};
      }
      part.n < width ? multiply_partial_panel<T, transpose_a>(part, panel, width)
                     : multiply_panel<T, transpose_a>(part, panel, width);
      j += width;
    }
  }
}

}  // namespace

std::string_view tile_description() { return instructions; }

template <class T>
void gemm_tile(const Gemm<T>& call) {
  if (call.k == 0) return gemm_reference(call);  // nothing to sum: C = beta C
  call.transpose_a ? multiply<T, true>(call) : multiply<T, false>(call);
}

template void gemm_tile(const Gemm<float>&);
template void gemm_tile(const Gemm<double>&);

}  // namespace rootdk
