#pragma once
#include "rootdk/attention/attention_kind.hpp"
#include "rootdk/attention/score_rule.hpp"
#include "rootdk/ops/matmul.hpp"
#include "rootdk/ops/scale.hpp"
#include "rootdk/ops/softmax_rows.hpp"
#include "rootdk/ops/streaming_attention.hpp"

namespace rootdk {

// Every intermediate result of the five steps, readable with its gradient after a backward pass.
// Without `keep_scores` S is on no tape; streaming attention records the output alone.
template <class T>
struct Attention {
  Var<T> scores;   // S (..., n_q, n_k), raw: the products of queries and keys
  Var<T> scaled;   // Z (..., n_q, n_k)
  Var<T> weights;  // A (..., n_q, n_k), rows that sum to one
  Var<T> output;   // O (..., n_q, d_v)
};

struct AttentionOptions {
  ScoreRule rule = score_rule("inv_sqrt_dk");
  Mask mask{};
  GemmBackend gemm = default_gemm;
  AttentionKind kind = AttentionKind::materialised;
  // false: the scale is a factor of the products as they are summed, and Z the first node. A pass
  // over all scores less each way, for whoever reads no S.
  bool keep_scores = true;
};

// Scaled dot-product attention, O = softmax(s Q K^T) V (Vaswani et al. 2017, section 3.2.1).
// Q (..., n_q, d_k), K (..., n_k, d_k), V (..., n_k, d_v), with the same leading axes.
// Throws std::invalid_argument that names the op and the shapes when they do not fit.
template <class T>
Attention<T> attention(Var<T> Q, Var<T> K, Var<T> V, const AttentionOptions& options = {}) {
  const auto& [rule, mask, gemm, kind, keep_scores] = options;
  const double s = rule.factor(Q.shape()[-1]);
  if (kind == AttentionKind::streaming) {
    const StreamingAttention all{.factor = s, .mask = mask, .backend = gemm};
    return {{}, {}, {}, streaming_attention(Q, K, V, all).label("output")};
  }
  if (!keep_scores) {
    const Matmul compare{.backend = gemm, .factor = s, .output_mask = mask};
    const Var<T> Z = matmul(Q, transpose(K), compare);
    const Var<T> A = softmax_rows(Z, mask);
    const Var<T> O = matmul(A, V, {.backend = gemm, .left_mask = mask});
    return {{}, Z.label("scaled"), A.label("weights"), O.label("output")};
  }
  // clang-format off
  const Var<T> S = matmul(Q, transpose(K), {.backend = gemm, .output_mask = mask});  // 1 compare
  const Var<T> Z = scale(S, s);                                                      // 2 scale
  const Var<T> A = softmax_rows(Z, mask);                                            // 3 softmax
  const Var<T> O = matmul(A, V, {.backend = gemm, .left_mask = mask});               // 4 average values
  return {S.label("scores"), Z.label("scaled"), A.label("weights"), O.label("output")};  // 5 a row a query
  // clang-format on
}

}  // namespace rootdk
