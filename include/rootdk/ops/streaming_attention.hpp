#pragma once
#include "rootdk/autodiff/tape.hpp"
#include "rootdk/gemm/gemm.hpp"
#include "rootdk/ops/mask.hpp"

namespace rootdk {

// Forward  z_ij = s q_i . k_j,  p_ij = exp(z_ij - m_i) / l_i,  o_i = sum_j p_ij v_j,
//          with m_i = max_j z_ij,  l_i = sum_j exp(z_ij - m_i), over the keys j that query i may see.
//          Scores exist one tile at a time. Where the keys of a tile join those before it,
//            m' = max(m, max_j z_j),  l' = l e^(m - m') + sum_j e^(z_j - m'),
//            o' = o e^(m - m') + sum_j e^(z_j - m') v_j,  and o / l after the last tile
//          (Milakov and Gimelshein, arXiv:1805.02867; in tiles: Dao, arXiv:2307.08691).
// Shapes   Q (..., n_q, d_k), K (..., n_k, d_k), V (..., n_k, d_v) with the same leading axes;
//          O (..., n_q, d_v)
// Saved    m_i and 1/l_i of every row; room for D_i of one matrix and for two tiles:
//          O(n_q) numbers, where the weights would be n_q n_k
// VJP      The weights of a tile are computed again, p_ij = exp(z_ij - m_i) (1/l_i), and from them
//            dv_j += sum_i p_ij do_i
//            dp_ij = do_i . v_j,  dS_ij = s p_ij (dp_ij - D_i)
//            dq_i += sum_j dS_ij k_j,  dk_j += sum_i dS_ij q_i
//          D_i = sum_j p_ij dp_ij needs a whole row of weights, but the sum can be taken first:
//          D_i = do_i . sum_j p_ij v_j = do_i . o_i
// Notes    m and 1/l are kept apart: exp(z - (m + log l)) would lose |z| epsilon of each weight, and
//          scores of several hundred are what this project looks at. D_i is computed as an entry of
//          dO O^T by the product that computes dP = dO V^T. Where p is exactly one-hot, o_i is v_j to
//          the bit, hence D_i = dp_ij and dS_ij is exactly 0, as in softmax_rows, provided that the
//          backend sums every entry of a product in the same order.
//          Hidden entries count as zero, whatever the rows of Q, K, V and dO that meet there hold;
//          a tile that is hidden from all of its queries is not computed: causal costs half. A row
//          that sees no key has o = 0 and no gradient. o is divided by l after the last tile only:
//          sum_j e^(z_j - m) v_j, up to n_k times the largest |v|, must be in the range of T.
struct StreamingAttention {
  double factor = 1;  // s
  Mask mask{};
  GemmBackend backend = default_gemm;
  Index query_tile = 128;  // rows and columns of a tile, which changes rounding and nothing else
  Index key_tile = 256;

  static constexpr std::string_view name = "streaming_attention";
  Shape output_shape(std::span<const Shape> in) const;
  Shape saved_shape(std::span<const Shape> in) const;
  template <class T>
  void forward(const ForwardArgs<T>& args) const;
  template <class T>
  void vjp(const VjpArgs<T>& args) const;
};

template <class T>
Var<T> streaming_attention(Var<T> q, Var<T> k, Var<T> v, const StreamingAttention& op = {}) {
  return q.tape().apply(op, {q, k, v});
}

extern template void StreamingAttention::forward(const ForwardArgs<float>&) const;
extern template void StreamingAttention::forward(const ForwardArgs<double>&) const;
extern template void StreamingAttention::vjp(const VjpArgs<float>&) const;
extern template void StreamingAttention::vjp(const VjpArgs<double>&) const;
static_assert(Op<StreamingAttention>);

}  // namespace rootdk
