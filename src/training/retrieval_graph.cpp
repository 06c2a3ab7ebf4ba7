#include "rootdk/training/retrieval_graph.hpp"

#include <algorithm>

#include "rootdk/ops/cross_entropy.hpp"

namespace rootdk {
namespace {

// Without projections there are no two orders.
RetrievalOptions possible(RetrievalOptions options) {
  if (options.projections == ProjectionKind::none) options.order = ScoreOrder::direct;
  return options;
}

}  // namespace

template <class T>
void RetrievalGraph<T>::project(Projections<T>& projections, Var<T> X_q, Var<T> X, Index d_v,
                                Weights weights) {
  const auto& [rule, gemm, kind, order, attention] = options_;
  if (kind == ProjectionKind::none) {
    left_ = X_q;
    right_ = X;
    const auto value_block = [&](View<T> x) { return x.slice(-1, x.shape[-1] - d_v, d_v); };
    values_ = tape_.alias(X, value_block).label("v");
    return;
  }
  const auto leaf = [&](Parameter<T>& parameter) {
    return weights == Weights::trained ? tape_.parameter(parameter) : tape_.frozen(parameter);
  };
  const Matmul product{.backend = gemm};
  const auto W_Q = leaf(projections.w_q);
  const auto W_K = kind == ProjectionKind::tied ? W_Q : leaf(projections.w_k);
  key_projection_ = W_K;
  if (order == ScoreOrder::direct) {
    left_ = matmul(X_q, W_Q, product).label("q");
    right_ = matmul(X, W_K, product).label("k");
  } else {
    const auto M = matmul(W_Q, transpose(W_K), product).label("w_q w_k^T");
    left_ = matmul(X_q, M, product).label("x w_q w_k^T");
    right_ = X;
  }
  values_ = matmul(X, leaf(projections.w_v), product).label("v");
}

template <class T>
RetrievalGraph<T>::RetrievalGraph(Projections<T>& projections, const TaskInfo& info,
                                  Index batch_size, Index n_tokens, const RetrievalOptions& options,
                                  Weights weights)
    : options_(possible(options)) {
  const auto X = tape_.constant(Shape{batch_size, n_tokens, info.d_model}, "tokens");
  batch_.tokens = X.writable_value();
  auto X_q = X;
  if (!info.self_attention) {
    X_q = tape_.constant(Shape{batch_size, info.n_queries, info.d_model}, "queries");
    batch_.queries = X_q.writable_value();
  }
  batch_.labels = tape_.template data<std::int32_t>(Shape{batch_size, info.n_queries});
  batch_.right_key = tape_.template data<std::int32_t>(Shape{batch_size, info.n_queries});

  project(projections, X_q, X, info.d_v, weights);
  scale_ = options.rule.factor(
      options.projections == ProjectionKind::none ? info.d_model : projections.w_q.shape[1]);
  attention_ = rootdk::attention(left_, right_, values_,
                                 {.rule = constant_scale(scale_),
                                  .gemm = options.gemm,
                                  .kind = options.attention,
                                  .keep_scores = false});
  switch (info.loss) {
    case LossKind::cross_entropy:
      loss_ = cross_entropy(attention_.output, View<const std::int32_t>(batch_.labels));
  }
  loss_.label("loss");
}

template <class T>
Index RetrievalGraph<T>::correct() const {
  const View<const T> logits = attention_.output.value();
  const Index classes = logits.shape.cols();
  Index count = 0;
  for (Index r = 0; r < logits.shape.rows(); ++r) {
    const T* row = logits.data + r * classes;
    count += std::max_element(row, row + classes) - row == batch_.labels.data[r] ? 1 : 0;
  }
  return count;
}

template class RetrievalGraph<float>;
template class RetrievalGraph<double>;

}  // namespace rootdk
