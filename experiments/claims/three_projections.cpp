// Which of Q, K and V change with X, and whether dL/dX collects what comes back through all three.
#include <algorithm>
#include <array>

#include "claims/small_attention.hpp"
#include "claims/table.hpp"

namespace rootdk::claims {
namespace {

constexpr Index n = 6, m = 8, d_k = 5;

// The largest entry of dL/dX less d_Q W_Q^T + d_K W_K^T + d_V W_V^T, summed here by plain loops.
double gradient_mismatch(const SelfAttention<double>& layer) {
  double largest = 0;
  for (Index i = 0; i < n; ++i) {
    for (Index a = 0; a < m; ++a) {
      double sum = 0;
      for (Index c = 0; c < d_k; ++c) {
        sum += layer.Q.grad()(i, c) * layer.W_q.value()(a, c) +
               layer.K.grad()(i, c) * layer.W_k.value()(a, c) +
               layer.V.grad()(i, c) * layer.W_v.value()(a, c);
      }
      largest = std::max(largest, std::abs(layer.X.grad()(i, a) - sum));
    }
  }
  return largest;
}

// How many of the projections differ from what they were once X is drawn anew.
double changed_projections(Tape<double>& tape, Stream& stream, Var<double> X,
                           const std::array<Var<double>, 3>& projections) {
  std::array<double, 3> before{};
  std::transform(projections.begin(), projections.end(), before.begin(),
                 [](const Var<double>& projection) { return projection.value().data[0]; });
  fill_normal(stream, X.writable_value().entries());
  tape.replay();
  double changed = 0;
  for (std::size_t i = 0; i < projections.size(); ++i) {
    changed += projections[i].value().data[0] != before[i] ? 1 : 0;
  }
  return changed;
}

std::vector<Statistic> measure(const Budget& budget) {
  Stream stream = stream_of(budget, "claims/three_projections", 0);
  Tape<double> tape;
  const SelfAttention<double> layer(tape, stream, n, m, d_k);
  std::vector<double> cotangent(static_cast<std::size_t>(n * d_k));
  fill_normal(stream, std::span(cotangent));
  tape.backward(layer.attention.output, View<const double>(cotangent.data(), Shape{n, d_k}));
  const double mismatch = gradient_mismatch(layer);
  const double self = changed_projections(tape, stream, layer.X, {layer.Q, layer.K, layer.V});

  const Var<double> X_other = normal_leaf(tape, stream, Shape{n, m});
  const Var<double> Q_cross = matmul(X_other, layer.W_q, {.backend = GemmBackend::reference});
  const double cross = changed_projections(tape, stream, layer.X, {Q_cross, layer.K, layer.V});
  return {{.name = "self-attention: how many of Q, K, V change with X",
           .claimed = equals(3),
           .predicted = equals(3),
           .measured = exact(self)},
          {.name = "self-attention: largest entry of dL/dX - (dQ W_Q^T + dK W_K^T + dV W_V^T)",
           .predicted = equals(0, 1e-13),
           .measured = exact(mismatch),
           .detail = true},
          {.name = "queries from another sequence: how many of Q, K, V change with X",
           .claimed = equals(3),
           .predicted = equals(2),
           .measured = exact(cross),
           .within_condition = false}};
}

}  // namespace

constinit const Claim three_projections{
    .id = "three_projections",
    .sentence = "Queries, keys and values are three linear maps of one and the same input.",
    .condition = "the tokens that ask are the tokens that answer (self-attention)",
    .why = "In cross-attention the queries come from another sequence than keys and values.",
    .measure = measure};

}  // namespace rootdk::claims
