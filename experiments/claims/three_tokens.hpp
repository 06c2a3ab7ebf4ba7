#pragma once
// The weights of the course's three tokens: by the engine, and written out from the scores
// (1 0 1 / 0 1 1 / 1 1 2) and exp alone.
#include "claims/small_attention.hpp"
#include "common/three_tokens.hpp"
#include "rootdk/elementary.hpp"

namespace rootdk::claims {

struct ThreeTokens {
  Matrix weights{};
  double first_output = 0;  // the first entry of O
};

inline ThreeTokens three_tokens_by_engine() {
  Tape<double> tape;
  const auto Q = leaf_of(tape, Shape{3, 2}, course::tokens.entries);
  const auto V = leaf_of(tape, Shape{3, 2}, course::values.entries);
  const Attention<double> result = attention(Q, Q, V, {.gemm = GemmBackend::reference});
  const auto weights = result.weights.value().entries();
  return {{3, 3, {weights.begin(), weights.end()}}, result.output.value()(0, 0)};
}

inline Matrix three_tokens_by_hand() {
  const Matrix scores{3, 3, {1, 0, 1, 0, 1, 1, 1, 1, 2}};
  Matrix weights = scores;
  for (Index i = 0; i < weights.rows; ++i) {
    double sum = 0;
    for (Index j = 0; j < weights.cols; ++j) {
      weights(i, j) = elementary::exp(scores(i, j) / std::sqrt(2.0));
      sum += weights(i, j);
    }
    for (Index j = 0; j < weights.cols; ++j) weights(i, j) /= sum;
  }
  return weights;
}

}  // namespace rootdk::claims
