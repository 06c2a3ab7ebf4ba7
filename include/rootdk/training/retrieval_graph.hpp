#pragma once
#include "rootdk/attention/attention.hpp"
#include "rootdk/attention/projections.hpp"
#include "rootdk/attention/score_order.hpp"
#include "rootdk/tasks/task.hpp"

namespace rootdk {

enum class Weights { trained, frozen };

struct RetrievalOptions {
  ScoreRule rule = score_rule("inv_sqrt_dk");
  GemmBackend gemm = default_gemm;
  ProjectionKind projections = ProjectionKind::untied;
  ScoreOrder order = ScoreOrder::direct;  // without projections there is but this one
  AttentionKind attention = AttentionKind::materialised;
};

// The whole model, recorded once on a tape of its own: a batch goes in, logits and a loss come out.
//   Q = X_q W_Q, K = X W_K, V = X W_V, O = attention(Q, K, V), L = cross_entropy(O, labels)
// where X_q = X when the tokens themselves ask. With tied projections K = X W_Q. With none, Q =
// X_q, K = X and V = the last d_v entries of X, the value block of tasks whose tokens end in one:
// then nothing wants a gradient. In merged order attention runs over Y = X_q (W_Q W_K^T) and X in
// place of Q and K, with the scale of d_k.
template <class T>
class RetrievalGraph {
 public:
  RetrievalGraph(Projections<T>& projections, const TaskInfo& info, Index batch_size,
                 Index n_tokens, const RetrievalOptions& options, Weights weights);

  Tape<T>& tape() { return tape_; }
  // Where a task writes; replay then computes everything from it.
  const Batch<T>& batch() const { return batch_; }
  Var<T> loss() const { return loss_; }
  const RetrievalOptions& options() const { return options_; }

  // What attention compares, (B, n_q, w) and (B, n, w): Q and K, or Y and X. Values V (B, n, d_v).
  Var<T> left() const { return left_; }
  Var<T> right() const { return right_; }
  Var<T> values() const { return values_; }
  double scale() const { return scale_; }
  // The matrix that keys are projected with, W_K unless tied; nowhere without projections.
  Var<T> key_projection() const { return key_projection_; }
  const Attention<T>& attention() const { return attention_; }

  // Output rows whose largest logit is the label's. A tie goes to the first.
  Index correct() const;

 private:
  void project(Projections<T>& projections, Var<T> X_q, Var<T> X, Index d_v, Weights weights);

  const RetrievalOptions options_;
  double scale_;
  Tape<T> tape_;
  Batch<T> batch_;
  Var<T> left_, right_, values_, key_projection_;
  Attention<T> attention_;
  Var<T> loss_;
};

extern template class RetrievalGraph<float>;
extern template class RetrievalGraph<double>;

}  // namespace rootdk
