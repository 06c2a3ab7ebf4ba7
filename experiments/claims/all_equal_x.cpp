// Q = K = V = X: the arithmetic works, and what it then attends to.
#include "claims/small_attention.hpp"
#include "claims/table.hpp"
#include "rootdk/elementary.hpp"

namespace rootdk::claims {
namespace {

constexpr Index n = 16;

// Weights of token 0 on itself, with Q = K = X and the scale 1/sqrt(d), over independent sequences;
// and how many of these rows are finite.
struct OnItself {
  std::vector<double> weight;
  std::int64_t finite = 0;
};

OnItself weights_on_itself(const Budget& budget, Index d) {
  OnItself result;
  Tape<double> tape;
  const Var<double> X = tape.variable(Shape{n, d});
  const Attention<double> layer = attention(X, X, X, {.gemm = GemmBackend::reference});
  for (std::int64_t sequence = 0; sequence < budget.n_queries / 20; ++sequence) {
    Stream stream = stream_of(budget, "claims/all_equal_x", sequence, {d});
    fill_normal(stream, X.writable_value().entries());
    tape.replay();
    const auto output = layer.output.value().entries();
    const bool fine =
        std::all_of(output.begin(), output.end(), [](double x) { return std::isfinite(x); });
    result.finite += fine ? 1 : 0;
    result.weight.push_back(layer.weights.value()(0, 0));
  }
  return result;
}

// A token of square length r scores itself r / sqrt(d), and each other N(0, r / d), whose exp has
// the mean exp(r / 2d). With the sum of the n - 1 others at its mean,
//   E p_self = E 1 / (1 + (n - 1) exp(r / 2d - r / sqrt(d))),   r chi-square of d.
// The trapezoidal rule in ln r, normalised by its own sum.
double expected_weight(double d) {
  double sum = 0, total = 0;
  const double deviation = std::sqrt(2 / d);
  for (int i = -400; i <= 400; ++i) {
    const double y = 0.02 * i * deviation;  // r = d e^y
    const double r = d * elementary::exp(y);
    const double density = elementary::exp(d / 2 * (y + 1) - r / 2);
    total += density;
    sum += density / (1 + (n - 1) * elementary::exp(r / (2 * d) - r / std::sqrt(d)));
  }
  return sum / total;
}

Statistic on_itself(const OnItself& measured, Index d) {
  return {.name = "mean weight of a token on itself, scaled, n 16, d " + std::to_string(d),
          .predicted = equals(expected_weight(static_cast<double>(d)), 0.03),
          .measured = mean_of(measured.weight)};
}

std::vector<Statistic> measure(const Budget& budget) {
  const OnItself narrow = weights_on_itself(budget, 16), wide = weights_on_itself(budget, 64);
  return {{.name = "share of sequences with a finite output, n 16, d 64",
           .claimed = equals(1),
           .predicted = equals(1),
           .measured = share_of(wide.finite, static_cast<std::int64_t>(wide.weight.size()))},
          on_itself(narrow, 16),
          on_itself(wide, 64)};
}

}  // namespace

constinit const Claim all_equal_x{
    .id = "all_equal_x",
    .sentence = "One may set Q = K = V = X: the arithmetic goes through.",
    .condition = "",
    .why =
        "It does, but a token's score with itself is |x|^2 / sqrt(d), near sqrt(d): the scale does "
        "not keep it from looking at itself alone.",
    .measure = measure};

}  // namespace rootdk::claims
