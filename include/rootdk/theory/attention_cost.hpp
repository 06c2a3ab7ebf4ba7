#pragma once
#include <cstdint>

namespace rootdk::theory {

// What one self-attention layer costs, counted exactly:
//   Q = X W_Q, K = X W_K, V = X W_V;  S = Q K^T, Z = s S, A = softmax(Z), O = A V
// for n tokens of width m = d_model, one sequence, one head, no mask, with S, Z and A in memory.
// The backward pass gives the gradients of X, W_Q, W_K and W_V from that of O.
//
// An operation is one +, -, *, /, comparison or exp. A sum of k terms starts from zero and is k
// additions, so a product of (n x k) and (k x p) is 2 n k p operations.
//
// Both parts of a layer are polynomials in n. The projections are linear; attention is quadratic.
//   forward   projections  2 n m (2 d_k + d_v)
//             S, O         2 n^2 d_k + 2 n^2 d_v
//             Z            n^2                    one product an entry
//             A            n (5 n + 1)            a row: n comparisons, n differences, n exp, n
//                                                 additions, 1 division, n products
//   backward  C = A B has two products of its own size, dA += dC B^T and dB += A^T dC: twice the
//             forward pass, for the projections and for S and O
//             Z            2 n^2                  dS += s dZ
//             A            5 n^2                  dz_j += p_j (dp_j - sum_k p_k dp_k), a row: 2 n
//                                                 for the sum, then 3 an entry
// The leading terms are those of Vaswani et al. 2017, table 1.

enum class Pass { forward, backward };

// All sizes from 1 to `largest_size`: then no count below overflows. Every function throws
// std::invalid_argument otherwise.
inline constexpr std::int64_t largest_size = std::int64_t{1} << 19;

struct LayerSizes {
  std::int64_t n_tokens = 1, d_model = 1, d_k = 1, d_v = 1;
};

// A quantity of the layer, split between its two parts.
struct PartCounts {
  std::int64_t projections = 0;  // grows as n
  std::int64_t attention = 0;    // grows as n^2
  std::int64_t layer() const { return projections + attention; }
};

// The same layer with scores that exist one tile at a time and are computed again on the way back
// (ops/streaming_attention.hpp): of T_q x T_k scores, R = ceil(n / T_q) by C = ceil(n / T_k) tiles.
//   forward   S, O         2 n^2 d_k + 2 n^2 d_v
//             Z, weights   5 n^2                  1 product by s, 1 comparison, 1 difference, 1 exp,
//                                                 1 addition
//             a tile       n C (d_v + 5)          a row: 1 comparison, 1 difference and 1 exp for the
//                                                 factor e^(m - m'), a product and an addition for the
//                                                 sum, d_v products for the output (counted as done
//                                                 also where the factor is 1 and they are left out)
//             a row        n (d_v + 1)            1 division, d_v products
//   backward  S again      2 n^2 d_k
//             dP, dV       4 n^2 d_v
//             dQ, dK       4 n^2 d_k
//             D            2 d_v a product of dO O^T, of which R blocks on the diagonal are computed
//             Z, P, dS     7 n^2                  1 product by s; 1 difference, 1 exp, 1 product; 1
//                                                 difference, 2 products
struct Tiles {
  std::int64_t queries = 128, keys = 256;  // T_q, T_k
};

// Operations of one pass.
PartCounts operations(Pass pass, const LayerSizes& sizes);
PartCounts operations(Pass pass, const LayerSizes& sizes, const Tiles& tiles);

// Numbers that have to be in memory for one pass. Forward, the values
//   projections  X, W_Q, W_K, W_V, Q, K, V     n m + (m + n) (2 d_k + d_v)
//   attention    S, Z, A and O                 3 n^2 + n d_v
// backward those and a gradient beside each of them, hence twice as many. In tiles, with T_q and T_k
// of at most n, attention holds
//   O n d_v, and its gradient; three numbers a row, and two tiles, 3 n + 2 T_q max(T_q, T_k), in
//   either pass
PartCounts numbers_held(Pass pass, const LayerSizes& sizes);
PartCounts numbers_held(Pass pass, const LayerSizes& sizes, const Tiles& tiles);

// The smallest n from which on attention takes at least as many operations as the projections
// (sizes.n_tokens is not read). For d_k = d_v = d this is near 1.5 m d / (d + 1.5) forward and
// 1.5 m d / (d + 0.875) backward. In tiles the backward pass gets there earlier, near 1.2 m - T_q / 5:
// it computes S again, and the blocks of D.
std::int64_t crossover(Pass pass, const LayerSizes& sizes);
std::int64_t crossover(Pass pass, const LayerSizes& sizes, const Tiles& tiles);

}  // namespace rootdk::theory
