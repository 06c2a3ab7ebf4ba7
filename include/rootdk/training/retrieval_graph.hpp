#pragma once
#include "rootdk/attention/attention.hpp"
#include "rootdk/attention/projections.hpp"
#include "rootdk/tasks/task.hpp"

namespace rootdk {

enum class Weights { trained, frozen };

// What the probes need of every query, wherever it was computed: one row a query, over all
// sequences. Gradients are those of the mean loss.
template <class T>
struct AttentionRows {
  View<const T> scaled;     // (B, n_q, n), Z
  View<const T> d_scaled;   // (B, n_q, n), dL/dZ
  View<const T> d_weights;  // (B, n_q, n), dL/dA
  View<const T> d_queries;  // (B, n_q, d_k), dL/dQ
};

// The whole model, recorded once on a tape of its own: a batch goes in, logits and a loss come out.
//   Q = X_q W_Q, K = X W_K, V = X W_V, O = attention(Q, K, V), L = cross_entropy(O, labels)
// where X_q = X when the tokens themselves ask. With tied projections K = X W_Q. With none, Q = X_q,
// K = X and V = the last d_v entries of X, the value block of tasks whose tokens end in one: then
// nothing wants a gradient.
template <class T>
class RetrievalGraph {
 public:
  RetrievalGraph(Projections<T>& projections, const TaskInfo& info, Index batch_size,
                 Index n_tokens, const ScoreRule& rule, GemmBackend gemm, Weights weights,
                 ProjectionKind kind = ProjectionKind::untied);

  Tape<T>& tape() { return tape_; }
  // Where a task writes; replay then computes everything from it.
  const Batch<T>& batch() const { return batch_; }
  Var<T> loss() const { return loss_; }
  const Attention<T>& attention() const { return attention_; }
  AttentionRows<T> rows() const;
  // Output rows whose largest logit is the label's. A tie goes to the first.
  Index correct() const;

 private:
  struct Rows {
    Var<T> q, k, v;
  };
  Rows project(Projections<T>& projections, Var<T> X_q, Var<T> X, Index d_v, GemmBackend gemm,
               Weights weights, ProjectionKind kind);

  Tape<T> tape_;
  Batch<T> batch_;
  Var<T> q_;
  Attention<T> attention_;
  Var<T> loss_;
};

extern template class RetrievalGraph<float>;
extern template class RetrievalGraph<double>;

}  // namespace rootdk
