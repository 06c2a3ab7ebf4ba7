// Outputs against the range of the values they are averages of.
#include <algorithm>

#include "claims/small_attention.hpp"
#include "claims/table.hpp"

namespace rootdk::claims {
namespace {

constexpr Index B = 64, n = 16, d_k = 16, d_v = 8;

std::vector<Statistic> measure(const Budget& budget) {
  Stream stream = stream_of(budget, "claims/weighted_average", 0);
  Tape<float> tape;
  const auto Q = normal_leaf(tape, stream, Shape{B, n, d_k});
  const auto K = normal_leaf(tape, stream, Shape{B, n, d_k});
  const auto V = normal_leaf(tape, stream, Shape{B, n, d_v});
  const AttentionOptions options{.gemm = GemmBackend::reference};
  const View<const float> O = attention(Q, K, V, options).output.value();
  double outside = 0;  // how far an output leaves the interval of its column of V
  for (Index b = 0; b < B; ++b) {
    for (Index c = 0; c < d_v; ++c) {
      float low = V.value()(b, 0, c), high = low;
      for (Index j = 1; j < n; ++j) {
        low = std::min(low, V.value()(b, j, c));
        high = std::max(high, V.value()(b, j, c));
      }
      for (Index i = 0; i < n; ++i) {
        const double below = static_cast<double>(low) - static_cast<double>(O(b, i, c));
        const double above = static_cast<double>(O(b, i, c)) - static_cast<double>(high);
        outside = std::max({outside, below, above});
      }
    }
  }
  return {{.name = "furthest that one of 1024 output rows leaves the range of its values, float32",
           .claimed = equals(0, 1e-5),
           .predicted = equals(0, 1e-5),
           .measured = exact(outside)}};
}

}  // namespace

constinit const Claim weighted_average{
    .id = "weighted_average",
    .sentence = "Attention reads a weighted average of the values.",
    .condition = "",
    .why =
        "Weights that are not negative and sum to one keep every output in the hull of the values.",
    .measure = measure};

}  // namespace rootdk::claims
