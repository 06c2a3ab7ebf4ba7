#pragma once
// The worked example of the text: three tokens with d_k = d_v = 2. The engine computes it; what it
// should give is written out here from the scores (1 0 1 / 0 1 1 / 1 1 2) and exp alone.
#include <array>

#include "claims/small_attention.hpp"
#include "rootdk/elementary.hpp"

namespace rootdk::claims {

using Matrix3 = std::array<std::array<double, 3>, 3>;

struct ThreeTokens {
  Matrix3 weights{};
  std::array<double, 2> first_output{};
};

inline ThreeTokens three_tokens_by_engine() {
  Tape<double> tape;
  const auto Q = leaf_of<double>(tape, Shape{3, 2}, {1, 0, 0, 1, 1, 1});
  const auto V = leaf_of<double>(tape, Shape{3, 2}, {10, 0, 0, 10, 5, 5});
  const Attention<double> result = attention(Q, Q, V, {.gemm = GemmBackend::reference});
  ThreeTokens tokens;
  for (std::size_t i = 0; i < 3; ++i) {
    const double* row = result.weights.value().row(static_cast<Index>(i));
    std::copy(row, row + 3, tokens.weights[i].begin());
  }
  tokens.first_output = {result.output.value()(0, 0), result.output.value()(0, 1)};
  return tokens;
}

inline Matrix3 three_tokens_by_hand() {
  constexpr Matrix3 scores{{{1, 0, 1}, {0, 1, 1}, {1, 1, 2}}};
  Matrix3 weights{};
  for (std::size_t i = 0; i < 3; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      weights[i][j] = elementary::exp(scores[i][j] / std::sqrt(2.0));
      sum += weights[i][j];
    }
    for (double& weight : weights[i]) weight /= sum;
  }
  return weights;
}

// As printed in the text, to two decimals.
inline constexpr Matrix3 printed_weights{
    {{0.38, 0.19, 0.42}, {0.19, 0.38, 0.42}, {0.26, 0.26, 0.48}}};

}  // namespace rootdk::claims
