#pragma once
#include "rootdk/autodiff/tape.hpp"
#include "rootdk/gemm/gemm.hpp"
#include "rootdk/ops/mask.hpp"

namespace rootdk {

// Forward  C = s A B, matrix by matrix over the last two axes, with a constant s (1 unless given)
// Shapes   A (..., n, k); B (..., k, p) with the same leading axes, or (k, p) shared by all matrices;
//          C (..., n, p). Either operand may be a transposed view.
// Saved    with a left mask, room for one copy of A: its hidden entries read as zero
// VJP      dC_ij/dA_il = s B_lj      =>  dA += s dC B^T
//          dC_ij/dB_lj = s A_il      =>  dB += s A^T dC   (summed over the matrices when B is shared)
// Notes    left_mask (A are attention weights): hidden entries of A count as zero, whatever they or
//          the rows of B they meet hold, and get no gradient. output_mask (C are scores): whoever reads
//          C skips the hidden entries, so their cotangent is zero, and a zero cotangent times a NaN in
//          a hidden row stays zero.
struct Matmul {
  GemmBackend backend = default_gemm;
  double factor = 1;
  Mask left_mask{};
  Mask output_mask{};

  static constexpr std::string_view name = "matmul";
  static constexpr bool writes_fresh_gradients = true;
  Shape output_shape(std::span<const Shape> in) const;
  Shape saved_shape(std::span<const Shape> in) const;
  template <class T>
  void forward(const ForwardArgs<T>& args) const;
  template <class T>
  void vjp(const VjpArgs<T>& args) const;
};

template <class T>
Var<T> matmul(Var<T> a, Var<T> b, const Matmul& op = {}) {
  return a.tape().apply(op, {a, b});
}

// A view with the last two axes exchanged; no copy. Throws std::invalid_argument below rank 2.
template <class T>
Var<T> transpose(Var<T> x) {
  if (x.shape().rank() < 2) {
    throw std::invalid_argument("transpose takes matrices or stacks of them, not " +
                                to_string(x.shape()));
  }
  return x.tape().alias(x, [](View<T> view) { return view.transposed(); });
}

extern template void Matmul::forward(const ForwardArgs<float>&) const;
extern template void Matmul::forward(const ForwardArgs<double>&) const;
extern template void Matmul::vjp(const VjpArgs<float>&) const;
extern template void Matmul::vjp(const VjpArgs<double>&) const;
static_assert(Op<Matmul>);

}  // namespace rootdk
