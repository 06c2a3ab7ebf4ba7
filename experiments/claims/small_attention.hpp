#pragma once
// Attention on random numbers, on a tape of its own: what the structural claims look at.
#include <algorithm>

#include "claims/gaussian_queries.hpp"
#include "rootdk/attention/attention.hpp"

namespace rootdk::claims {

// A leaf of independent N(0, standard_deviation^2) entries that wants a gradient.
template <class T>
Var<T> normal_leaf(Tape<T>& tape, Stream& stream, const Shape& shape,
                   double standard_deviation = 1) {
  const Var<T> leaf = tape.variable(shape);
  fill_normal(stream, leaf.writable_value().entries(), standard_deviation);
  return leaf;
}

// A leaf with the given entries, row by row.
template <class T>
Var<T> leaf_of(Tape<T>& tape, const Shape& shape, const std::vector<T>& values) {
  const Var<T> leaf = tape.variable(shape);
  std::copy(values.begin(), values.end(), leaf.writable_value().data);
  return leaf;
}

// Self-attention of n tokens of width m: Q = X W_Q, K = X W_K, V = X W_V, W ~ N(0, 1/m).
template <class T>
struct SelfAttention {
  Var<T> X, W_q, W_k, W_v, Q, K, V;
  Attention<T> attention;

  SelfAttention(Tape<T>& tape, Stream& stream, Index n, Index m, Index d_k,
                const AttentionOptions& options = {.gemm = GemmBackend::reference}) {
    const double spread = 1 / std::sqrt(static_cast<double>(m));
    const Matmul product{.backend = options.gemm};
    X = normal_leaf(tape, stream, Shape{n, m});
    W_q = normal_leaf(tape, stream, Shape{m, d_k}, spread);
    W_k = normal_leaf(tape, stream, Shape{m, d_k}, spread);
    W_v = normal_leaf(tape, stream, Shape{m, d_k}, spread);
    Q = matmul(X, W_q, product);
    K = matmul(X, W_k, product);
    V = matmul(X, W_v, product);
    attention = rootdk::attention(Q, K, V, options);
  }
};

}  // namespace rootdk::claims
