// Which inputs an output depends on: one backward pass from each row, and its support on the
// tokens.
#include "claims/small_attention.hpp"
#include "claims/table.hpp"

namespace rootdk::claims {
namespace {

constexpr Index n = 12, m = 8, d_k = 8;

// Share of pairs (i, j) for which output row i has a gradient with respect to token j.
double share_of_pairs(const Budget& budget, const Mask& mask) {
  Stream stream = stream_of(budget, "claims/length_and_reach", 0);
  Tape<double> tape;
  const SelfAttention<double> layer(tape, stream, n, m, d_k,
                                    {.mask = mask, .gemm = GemmBackend::reference});
  std::vector<double> cotangent(static_cast<std::size_t>(n * d_k));
  Index reached = 0;
  for (Index i = 0; i < n; ++i) {
    std::fill(cotangent.begin(), cotangent.end(), 0);
    const auto first = static_cast<std::size_t>(i * d_k);
    fill_normal(stream, std::span(cotangent).subspan(first, static_cast<std::size_t>(d_k)));
    tape.backward(layer.attention.output, View<const double>(cotangent.data(), Shape{n, d_k}));
    for (Index j = 0; j < n; ++j) {
      const double* row = layer.X.grad().row(j);
      reached += std::any_of(row, row + m, [](double g) { return g != 0; }) ? 1 : 0;
    }
  }
  return static_cast<double>(reached) / static_cast<double>(n * n);
}

double output_rows(Index n_queries, Index n_keys) {
  Tape<double> tape;
  const auto Q = tape.variable(Shape{n_queries, d_k}), K = tape.variable(Shape{n_keys, d_k});
  return static_cast<double>(attention(Q, K, K).output.shape()[0]);
}

std::vector<Statistic> measure(const Budget& budget) {
  const auto count = static_cast<double>(n);
  return {{.name = "outputs for 12 tokens that ask themselves",
           .claimed = equals(count),
           .predicted = equals(count),
           .measured = exact(output_rows(n, n))},
          {.name = "share of pairs (output i, token j) with a gradient, 12 tokens, no mask",
           .claimed = equals(1),
           .predicted = equals(1),
           .measured = exact(share_of_pairs(budget, {}))},
          {.name = "share of pairs (output i, token j) with a gradient, 12 tokens, "
                   "causal mask: (n + 1) / 2n",
           .claimed = equals(1),
           .predicted = equals((count + 1) / (2 * count), 1e-12),
           .measured = exact(share_of_pairs(budget, {.causal = true})),
           .within_condition = false},
          {.name = "outputs for 12 tokens asked by 5 other queries",
           .claimed = equals(count),
           .predicted = equals(5),
           .measured = exact(output_rows(5, n)),
           .within_condition = false}};
}

}  // namespace

constinit const Claim length_and_reach{
    .id = "length_and_reach",
    .sentence = "The output is as long as the input, and each of its rows depends on every token.",
    .condition = "the tokens ask themselves and nothing is masked",
    .why = "There is one output a query, and a mask cuts what a query may see.",
    .measure = measure};

}  // namespace rootdk::claims
