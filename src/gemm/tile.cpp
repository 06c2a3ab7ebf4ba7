// A product in blocks: the panels of a block of B's columns are packed once for all rows, and rows of A
// meet them some at a time, while both are in the cache.
//
// Every entry of C sums its products in the order of the inner index, `depth` at a time, and every
// operation on it is the same: equal rows of A and equal columns of B give equal entries, to the bit,
// wherever they lie. Exact zeros of saturated gradients hang on it.
#include <algorithm>

#include "backends.hpp"
#include "tile_panel.hpp"
#include "transpose_block.hpp"

namespace rootdk {
namespace {

#ifdef __FMA__
constexpr bool fused = true;
#else
constexpr bool fused = false;
#endif
constexpr std::string_view instructions = register_bytes == 64   ? "AVX-512, fused multiply-add"
                                          : register_bytes == 16 ? "registers of 16 bytes"
                                          : fused                ? "AVX, fused multiply-add"
                                                                 : "AVX";

// Products of a sum between two visits to C: a panel of B, depth x tile_columns, stays in the
// first-level cache.
constexpr Index depth = 256;
constexpr Index page_bytes = 4096;
// A block of C: 96 rows are whole tiles, of 4, 6, 8, 12 or 16 rows.
constexpr Index block_rows = 96;
template <class T>
constexpr Index block_columns = 4 * tile_columns<T>;

// The first `columns` columns of op(B), k deep, in rows of `width`, with zeros behind the last.
template <class T>
void pack(const Gemm<T>& part, const T* b, Index columns, Index width, T* packed) {
  if (part.transpose_b) {
    transpose_into(b, part.ldb, columns, part.k, packed, width);
  } else {
    for (Index l = 0; l < part.k; ++l) {
      for (Index j = 0; j < columns; ++j) packed[l * width + j] = b[l * part.ldb + j];
    }
  }
  for (Index j = columns; j < width; ++j) {
    for (Index l = 0; l < part.k; ++l) packed[l * width + j] = 0;
  }
}

// Full panels of a B that is stored as it is meant, one after the other in `packed`. All are filled row by
// row: a row of B may be a page away from the next, and each page is then visited once.
template <class T>
void pack_full_panels(const Gemm<T>& part, Index panels, T* packed) {
  constexpr Index width = tile_columns<T>, half = register_lanes<T>;
  for (Index l = 0; l < part.k; ++l) {
    const T* b = part.b + l * part.ldb;
    for (Index p = 0; p < panels; ++p) {
      T* to = packed + (p * part.k + l) * width;
      store(to, load<Register<T>>(b + p * width));
      store(to + half, load<Register<T>>(b + p * width + half));
    }
  }
}

// Columns that do not fill their panel go through a block of their own.
template <class T, bool transpose_a>
void multiply_partial_panel(const Gemm<T>& part, const Panel<T>& b) {
  alignas(64) T block[block_rows * tile_columns<T>];
  Gemm<T> whole = part;
  whole.beta = 0;
  whole.c = block;
  whole.ldc = b.width;
  multiply_panel<T, transpose_a>(whole, b);
  for (Index i = 0; i < part.m; ++i) {
    T* c = part.c + i * part.ldc;
    for (Index j = 0; j < b.columns; ++j) {
      const T product = block[i * b.width + j];
      c[j] = part.beta == T(0) ? product
                               : product + part.beta * c[j];  // + 0 would lose the sign of -0
    }
  }
}

// One call, block by block. `part_` is the product at hand: each loop sets what it goes over, in place,
// since small products feel every copy.
template <class T, bool transpose_a>
class BlockedProduct {
 public:
  explicit BlockedProduct(const Gemm<T>& call) : call_(call), part_(call) {}

  void run() {
    for (Index l = 0; l < call_.k; l += depth) {
      part_.k = std::min(depth, call_.k - l);
      if (l > 0) part_.beta = 1;
      for (Index j = 0; j < call_.n; j += block_columns<T>) multiply_columns(l, j);
    }
  }

 private:
  void multiply_columns(Index l, Index j) {
    part_.n = std::min(block_columns<T>, call_.n - j);
    part_.b = call_.b + (call_.transpose_b ? j * call_.ldb + l : l * call_.ldb + j);
    pack_panels();
    for (Index i = 0; i < call_.m; i += block_rows) {
      part_.m = std::min(block_rows, call_.m - i);
      part_.a = call_.a + (transpose_a ? l * call_.lda + i : i * call_.lda + l);
      part_.c = call_.c + i * call_.ldc + j;
      multiply_rows();
    }
  }

  void pack_panels() {
    const T* b = part_.b;
    T* to = packed_b_;
    const bool together = !call_.transpose_b && wants_packing(tile_columns<T>, tile_columns<T>);
    const Index packed = together ? part_.n / tile_columns<T> : 0;
    if (together) pack_full_panels(part_, packed, packed_b_);
    panels_ = 0;
    for (Index left = part_.n; left > 0; ++panels_) {
      const Index width = panel_width<T>(left), columns = std::min(width, left);
      if (wants_packing(columns, width)) {
        if (panels_ >= packed) pack(part_, b, columns, width, to);
        panel_[panels_] = {to, width, width, columns};
        to += part_.k * width;
      } else {
        panel_[panels_] = {b, part_.ldb, width, columns};
      }
      b += part_.transpose_b ? columns * part_.ldb : columns;
      left -= columns;
    }
  }

  // A panel is packed when its rows must be made (from a stored B^T), filled up, or brought together once
  // enough rows of A share the cost: rows a page apart fall into few sets of the cache, and each needs an
  // entry of the TLB.
  bool wants_packing(Index columns, Index width) const {
    return call_.transpose_b || columns < width || (call_.ldb > width && call_.m > 4 * tile_rows);
  }

  void multiply_rows() {
    if constexpr (transpose_a) pack_rows();
    for (Index p = 0; p < panels_; ++p) {
      const Panel<T>& panel = panel_[p];
      panel.columns < panel.width ? multiply_partial_panel<T, transpose_a>(part_, panel)
                                  : multiply_panel<T, transpose_a>(part_, panel);
      part_.c += panel.columns;
    }
  }

  // Rows of a stored A^T a page apart have the same trouble, once for each panel. No prefetching by the
  // processor crosses a page, so what is copied eight rows later is asked for by name.
  void pack_rows() {
    if (call_.lda < page_bytes / static_cast<Index>(sizeof(T))) return;
    for (Index l = 0; l < part_.k; ++l) {
      const T* later = part_.a + std::min(l + 8, part_.k - 1) * call_.lda;
      for (Index i = 0; i < part_.m; i += register_lanes<T>) __builtin_prefetch(later + i);
      std::copy_n(part_.a + l * call_.lda, part_.m, packed_a_ + l * block_rows);
    }
    part_.a = packed_a_;
    part_.lda = block_rows;
  }

  alignas(64) T packed_b_[depth * block_columns<T>];
  alignas(64) T packed_a_[transpose_a ? depth * block_rows : 1];
  const Gemm<T>& call_;
  Gemm<T> part_;
  Panel<T> panel_[block_columns<T> / tile_columns<T>];
  Index panels_ = 0;
};

}  // namespace

std::string_view tile_description() { return instructions; }

template <class T>
void gemm_tile(const Gemm<T>& call) {
  if (call.k == 0) return gemm_reference(call);  // nothing to sum: C = beta C
  call.transpose_a ? BlockedProduct<T, true>(call).run() : BlockedProduct<T, false>(call).run();
}

template void gemm_tile(const Gemm<float>&);
template void gemm_tile(const Gemm<double>&);

}  // namespace rootdk
