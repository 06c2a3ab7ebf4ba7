// What a layer costs: operations counted one by one by a number that counts, entries and memory
// read off the engine's tape.
#include <algorithm>

#include "claims/small_attention.hpp"
#include "claims/table.hpp"
#include "rootdk/elementary.hpp"
#include "rootdk/theory/attention_cost.hpp"

namespace rootdk::claims {
namespace {

// A number that counts the operations made with it.
struct Counted {
  double value = 0;
  std::int64_t* operations = nullptr;

  Counted of(double result) const {
    ++*operations;
    return {result, operations};
  }
};
Counted operator+(Counted a, Counted b) { return a.of(a.value + b.value); }
Counted operator-(Counted a, Counted b) { return a.of(a.value - b.value); }
Counted operator*(Counted a, Counted b) { return a.of(a.value * b.value); }
Counted operator/(Counted a, Counted b) { return a.of(a.value / b.value); }
Counted larger(Counted a, Counted b) { return a.of(std::max(a.value, b.value)); }
Counted exp(Counted a) { return a.of(elementary::exp(a.value)); }

using Matrix = std::vector<std::vector<Counted>>;

// A B, or A B^T.
Matrix product(const Matrix& A, const Matrix& B, bool transpose_b, Counted zero) {
  const std::size_t columns = transpose_b ? B.size() : B[0].size();
  Matrix C(A.size(), std::vector<Counted>(columns, zero));
  for (std::size_t i = 0; i < A.size(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      for (std::size_t l = 0; l < A[i].size(); ++l) {
        C[i][j] = C[i][j] + A[i][l] * (transpose_b ? B[j][l] : B[l][j]);
      }
    }
  }
  return C;
}

void softmax(std::vector<Counted>& row, Counted s, Counted zero) {
  for (Counted& z : row) z = s * z;
  Counted top{-1e300, zero.operations}, sum = zero;
  for (const Counted z : row) top = larger(top, z);
  for (Counted& z : row) {
    z = exp(z - top);
    sum = sum + z;
  }
  const Counted share = Counted{1, zero.operations} / sum;
  for (Counted& p : row) p = p * share;
}

// Operations of one forward pass of self-attention, counted while it runs.
double counted_operations(Stream stream, std::size_t n, std::size_t m, std::size_t d) {
  std::int64_t operations = 0;
  const Counted zero{0, &operations};
  const auto normal = [&](std::size_t rows, std::size_t columns) {
    Matrix matrix(rows, std::vector<Counted>(columns, zero));
    for (auto& row : matrix) {
      for (Counted& entry : row) entry.value = stream.normal();
    }
    return matrix;
  };
  const Matrix X = normal(n, m);
  const Matrix Q = product(X, normal(m, d), false, zero), K = product(X, normal(m, d), false, zero);
  const Matrix V = product(X, normal(m, d), false, zero);
  Matrix A = product(Q, K, true, zero);
  for (auto& row : A)
    softmax(row, Counted{1 / std::sqrt(static_cast<double>(d)), &operations}, zero);
  product(A, V, false, zero);
  return static_cast<double>(operations);
}

constexpr Index m = 64, d_k = 16, few = 16, many = 512;

// How many times as much n tokens cost when they become 2n; the claim says 4.
Statistic doubled(const Budget& budget, Index n, bool within) {
  const auto count = [&](Index tokens) {
    return counted_operations(stream_of(budget, "claims/quadratic_cost", tokens),
                              static_cast<std::size_t>(tokens), m, d_k);
  };
  const auto law = [](Index tokens) {
    return static_cast<double>(
        theory::operations(theory::Pass::forward, {tokens, m, d_k, d_k}).layer());
  };
  return {
      .name = "operations of a layer when n " + std::to_string(n) + " doubles, d_model 64, d_k 16",
      .claimed = equals(4, 0.4),
      .predicted = equals(law(2 * n) / law(n), 1e-12),
      .measured = exact(count(2 * n) / count(n)),
      .within_condition = within};
}

double tape_bytes(const Budget& budget, Index n) {
  Stream stream = stream_of(budget, "claims/quadratic_cost", n);
  Tape<float> tape;
  const SelfAttention<float> layer(tape, stream, n, m, d_k);
  return static_cast<double>(tape.bytes());
}

std::vector<Statistic> measure(const Budget& budget) {
  const auto n = static_cast<double>(many);
  Stream stream = stream_of(budget, "claims/quadratic_cost", 0);
  Tape<float> tape;
  const SelfAttention<float> layer(tape, stream, many, m, d_k);
  const auto weights = static_cast<double>(layer.attention.weights.shape().size());
  const auto held = [](Index tokens) {
    return static_cast<double>(
        theory::numbers_held(theory::Pass::backward, {tokens, m, d_k, d_k}).layer());
  };
  return {{.name = "attention weights per token squared, n 512: so 10^8 at n 10^4",
           .claimed = equals(1),
           .predicted = equals(1),
           .measured = exact(weights / (n * n))},
          doubled(budget, many, true),
          doubled(budget, few, false),
          {.name = "bytes of a training tape when n 512 doubles, d_model 64, d_k 16",
           .claimed = equals(4, 0.4),
           .predicted = equals(held(2 * many) / held(many), 0.01),
           .measured = exact(tape_bytes(budget, 2 * many) / tape_bytes(budget, many))},
          {.name = "bytes of a training tape when n 16 doubles, d_model 64, d_k 16",
           .claimed = equals(4, 0.4),
           .predicted = equals(held(2 * few) / held(few), 0.05),
           .measured = exact(tape_bytes(budget, 2 * few) / tape_bytes(budget, few)),
           .within_condition = false}};
}

}  // namespace

constinit const Claim quadratic_cost{
    .id = "quadratic_cost",
    .sentence =
        "Time and memory grow with the square of the number of tokens, 10^8 weights at 10^4.",
    .condition = "n is well above 1.5 d_model, and the weights are kept",
    .why =
        "Below that the projections cost more, which are linear in n; a streaming softmax need not "
        "keep the weights.",
    .measure = measure};

}  // namespace rootdk::claims
