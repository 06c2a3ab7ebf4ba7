#include "rootdk/training/retrieval_graph.hpp"

#include <algorithm>

#include "rootdk/ops/cross_entropy.hpp"

namespace rootdk {

template <class T>
typename RetrievalGraph<T>::Rows RetrievalGraph<T>::project(Projections<T>& projections, Var<T> X_q,
                                                            Var<T> X, Index d_v, GemmBackend gemm,
                                                            Weights weights, ProjectionKind kind) {
  if (kind == ProjectionKind::none) {
    const auto value_block = [&](View<T> x) { return x.slice(-1, x.shape[-1] - d_v, d_v); };
    return {X_q, X, tape_.alias(X, value_block).label("v")};
  }
  const auto leaf = [&](Parameter<T>& parameter) {
    return weights == Weights::trained ? tape_.parameter(parameter) : tape_.frozen(parameter);
  };
  const Matmul product{.backend = gemm};
  const auto W_Q = leaf(projections.w_q);
  const auto W_K = kind == ProjectionKind::tied ? W_Q : leaf(projections.w_k);
  const auto Q = matmul(X_q, W_Q, product).label("q");
  const auto K = matmul(X, W_K, product).label("k");
  const auto V = matmul(X, leaf(projections.w_v), product).label("v");
  return {Q, K, V};
}

template <class T>
RetrievalGraph<T>::RetrievalGraph(Projections<T>& projections, const TaskInfo& info,
                                  Index batch_size, Index n_tokens, const ScoreRule& rule,
                                  GemmBackend gemm, Weights weights, ProjectionKind kind) {
  const auto X = tape_.constant(Shape{batch_size, n_tokens, info.d_model}, "tokens");
  batch_.tokens = X.writable_value();
  auto X_q = X;
  if (!info.self_attention) {
    X_q = tape_.constant(Shape{batch_size, info.n_queries, info.d_model}, "queries");
    batch_.queries = X_q.writable_value();
  }
  batch_.labels = tape_.template data<std::int32_t>(Shape{batch_size, info.n_queries});
  batch_.right_key = tape_.template data<std::int32_t>(Shape{batch_size, info.n_queries});

  const auto [Q, K, V] = project(projections, X_q, X, info.d_v, gemm, weights, kind);
  q_ = Q;
  attention_ = rootdk::attention(Q, K, V, {.rule = rule, .gemm = gemm});
  loss_ = cross_entropy(attention_.output, View<const std::int32_t>(batch_.labels)).label("loss");
}

template <class T>
AttentionRows<T> RetrievalGraph<T>::rows() const {
  return {attention_.scaled.value(), attention_.scaled.grad(), attention_.weights.grad(),
          q_.grad()};
}

template <class T>
Index RetrievalGraph<T>::correct() const {
  const View<const T> logits = attention_.output.value();
  const Index classes = logits.shape.cols();
  Index count = 0;
  for (Index r = 0; r < logits.shape.rows(); ++r) {
    const T* row = logits.row(r);
    count += std::max_element(row, row + classes) - row == batch_.labels.data[r] ? 1 : 0;
  }
  return count;
}

template class RetrievalGraph<float>;
template class RetrievalGraph<double>;

}  // namespace rootdk
