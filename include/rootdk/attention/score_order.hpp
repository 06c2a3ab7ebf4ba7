#pragma once
#include "rootdk/autodiff/shape.hpp"
#include "rootdk/named.hpp"

namespace rootdk {

// In which order the scores S = (X_q W_Q) (X W_K)^T of projected tokens are multiplied out:
//   direct   Q = X_q W_Q, K = X W_K, S = Q K^T
//   merged   M = W_Q W_K^T, Y = X_q M, S = Y X^T: the same scores as an attention of Y over X itself
// Same function, same gradients up to rounding; merged costs less where d_k exceeds d_model, since no
// token is ever projected to d_k entries.
enum class ScoreOrder { direct, merged };

// The names in configs and CSVs, that of a value, and the value of a name, which throws
// std::invalid_argument that lists the names.
std::span<const Named<ScoreOrder>> score_order_table();
std::string_view to_string(ScoreOrder order);
ScoreOrder score_order(std::string_view word);

// B sequences of n keys and n_q queries, tokens d_model wide.
struct ScoreSizes {
  Index batch_size, n_queries, n_tokens, d_model, d_k;
  bool streaming = false;  // the backward pass computes S a second time
};

// Multiply-adds of a forward and a backward pass, up to the gradients of W_Q and W_K. With t = B n,
// t_q = B n_q and m = d_model (tokens want no gradient):
//   direct   (t_q + t) m d_k + B n_q n d_k    forward
//            dQ, dK: 2 B n_q n d_k;   dW_Q, dW_K: (t_q + t) m d_k
//   merged   m^2 d_k + t_q m^2 + B n_q n m    forward
//            dY: B n_q n m;   dM: t_q m^2;   dW_Q, dW_K: 2 m^2 d_k
// and B n_q n times the width of a row of Q, or of Y, once more when streaming. In floating point: no
// size overflows it.
double score_operations(ScoreOrder order, const ScoreSizes& sizes);

// The one with fewer; direct when they tie.
ScoreOrder cheaper_order(const ScoreSizes& sizes);

}  // namespace rootdk
