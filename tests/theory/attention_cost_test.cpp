// The closed forms against a counter: a number type that counts what is done to it runs the layer
// as plain loops, which are first shown to compute what the tape computes.
#include "rootdk/theory/attention_cost.hpp"

#include <cmath>
#include <vector>

#include "catch.hpp"
#include "rootdk/attention/attention.hpp"
#include "support/counting.hpp"
#include "support/tensors.hpp"

using namespace rootdk;
using theory::LayerSizes;
using theory::Pass;

namespace {

struct NaiveLayer {
  std::size_t n, m, d_k, d_v;
  Number s{1 / std::sqrt(static_cast<double>(d_k))};
  Matrix X{n, m}, W_q{m, d_k}, W_k{m, d_k}, W_v{m, d_v};
  Matrix Q{n, d_k}, K{n, d_k}, V{n, d_v}, S{n, n}, Z{n, n}, A{n, n}, O{n, d_v};
  Matrix d_X{n, m}, d_W_q{m, d_k}, d_W_k{m, d_k}, d_W_v{m, d_v};
  Matrix d_Q{n, d_k}, d_K{n, d_k}, d_V{n, d_v}, d_S{n, n}, d_Z{n, n}, d_A{n, n}, d_O{n, d_v};

  void project() {
    add_product(Q, X, false, W_q, false);
    add_product(K, X, false, W_k, false);
    add_product(V, X, false, W_v, false);
  }
  void attend() {
    add_product(S, Q, false, K, true);
    for (std::size_t i = 0; i < n; ++i) {
      Number largest{-INFINITY}, sum;
      for (std::size_t j = 0; j < n; ++j) Z(i, j) = s * S(i, j);
      for (std::size_t j = 0; j < n; ++j) largest = largest < Z(i, j) ? Z(i, j) : largest;
      for (std::size_t j = 0; j < n; ++j) A(i, j) = exp(Z(i, j) - largest);
      for (std::size_t j = 0; j < n; ++j) sum = sum + A(i, j);
      const Number inverse = Number{1} / sum;
      for (std::size_t j = 0; j < n; ++j) A(i, j) = A(i, j) * inverse;
    }
    add_product(O, A, false, V, false);
  }
  void attend_backward() {
    add_product(d_A, d_O, false, V, true);
    add_product(d_V, A, true, d_O, false);
    for (std::size_t i = 0; i < n; ++i) {
      Number mean;
      for (std::size_t j = 0; j < n; ++j) mean = mean + A(i, j) * d_A(i, j);
      for (std::size_t j = 0; j < n; ++j) {
        d_Z(i, j) = d_Z(i, j) + A(i, j) * (d_A(i, j) - mean);
        d_S(i, j) = d_S(i, j) + s * d_Z(i, j);
      }
    }
    add_product(d_Q, d_S, false, K, false);
    add_product(d_K, d_S, true, Q, false);
  }
  void project_backward() {
    add_product(d_X, d_Q, false, W_q, true);
    add_product(d_X, d_K, false, W_k, true);
    add_product(d_X, d_V, false, W_v, true);
    add_product(d_W_q, X, true, d_Q, false);
    add_product(d_W_k, X, true, d_K, false);
    add_product(d_W_v, X, true, d_V, false);
  }
};

// The layer on a tape, every input a variable on it, so that the tape holds all of its memory.
template <class T>
struct TapeLayer {
  Tape<T> tape;
  Var<T> X, W_q, W_k, W_v, O;
  explicit TapeLayer(const LayerSizes& sizes) {
    const auto& [n, m, d_k, d_v] = sizes;
    X = normal(tape, Shape{n, m}, 1);
    W_q = normal(tape, Shape{m, d_k}, 2);
    W_k = normal(tape, Shape{m, d_k}, 3);
    W_v = normal(tape, Shape{m, d_v}, 4);
    const Matmul op{GemmBackend::reference};
    O = attention(matmul(X, W_q, op), matmul(X, W_k, op), matmul(X, W_v, op),
                  {.gemm = GemmBackend::reference})
            .output;
  }
};

void fill(Matrix& matrix, const std::vector<double>& from) {
  for (std::size_t i = 0; i < from.size(); ++i) matrix.entries[i].value = from[i];
}

void check_equal(const Matrix& matrix, const std::vector<double>& expected) {
  REQUIRE(matrix.entries.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(matrix.entries[i].value == Approx(expected[i]).epsilon(1e-10).margin(1e-12));
  }
}

const std::vector<LayerSizes> shapes{{1, 1, 1, 1}, {2, 3, 1, 5}, {7, 5, 3, 2}, {9, 4, 16, 1}};

}  // namespace

TEST_CASE("attention_cost: operations are those that plain loops do", "[theory]") {
  for (const LayerSizes& sizes : shapes) {
    const auto size = [](std::int64_t extent) { return static_cast<std::size_t>(extent); };
    NaiveLayer layer{size(sizes.n_tokens), size(sizes.d_model), size(sizes.d_k), size(sizes.d_v)};
    TapeLayer<double> expected(sizes);
    fill(layer.X, values(expected.X.value()));
    fill(layer.W_q, values(expected.W_q.value()));
    fill(layer.W_k, values(expected.W_k.value()));
    fill(layer.W_v, values(expected.W_v.value()));
    const Var<double> G = normal(expected.tape, expected.O.shape(), 5);
    fill(layer.d_O, values(G.value()));
    expected.tape.backward(expected.O, G.value());

    const theory::PartCounts forward = theory::operations(Pass::forward, sizes);
    const theory::PartCounts backward = theory::operations(Pass::backward, sizes);
    CHECK(count_of([&] { layer.project(); }) == forward.projections);
    CHECK(count_of([&] { layer.attend(); }) == forward.attention);
    CHECK(count_of([&] { layer.attend_backward(); }) == backward.attention);
    CHECK(count_of([&] { layer.project_backward(); }) == backward.projections);

    check_equal(layer.O, values(expected.O.value()));
    check_equal(layer.d_X, values(expected.X.grad()));
    check_equal(layer.d_W_q, values(expected.W_q.grad()));
    check_equal(layer.d_W_k, values(expected.W_k.grad()));
    check_equal(layer.d_W_v, values(expected.W_v.grad()));
  }
}

// The tape keeps each tensor at a multiple of 64 bytes, and the ops themselves, beside the numbers:
// a constant where all sizes are multiples of 16, and at most one line a tensor elsewhere.
TEMPLATE_TEST_CASE("attention_cost: memory is that of the tape", "[theory]", float, double) {
  const auto beside_numbers = [](const LayerSizes& sizes) {
    return static_cast<std::int64_t>(TapeLayer<TestType>(sizes).tape.bytes()) -
           static_cast<std::int64_t>(sizeof(TestType)) *
               theory::numbers_held(Pass::backward, sizes).layer();
  };
  const std::int64_t constant = beside_numbers({16, 16, 16, 16});
  CHECK(constant > 0);
  CHECK(constant < 4096);
  CHECK(beside_numbers({64, 32, 16, 48}) == constant);
  CHECK(beside_numbers({160, 16, 64, 32}) == constant);
  for (const LayerSizes& sizes : shapes) {
    CHECK(beside_numbers(sizes) >= constant);
    CHECK(beside_numbers(sizes) < constant + 64 * 22);  // 11 tensors and their gradients
  }
}

TEST_CASE("attention_cost: forward holds half of what backward holds", "[theory]") {
  const LayerSizes sizes{300, 70, 20, 30};
  for (const auto part : {&theory::PartCounts::projections, &theory::PartCounts::attention}) {
    CHECK(2 * theory::numbers_held(Pass::forward, sizes).*part ==
          theory::numbers_held(Pass::backward, sizes).*part);
  }
}

TEST_CASE("attention_cost: from the crossover on attention takes the most", "[theory]") {
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    for (LayerSizes sizes : {LayerSizes{1, 128, 64, 64}, LayerSizes{1, 512, 7, 100}}) {
      const std::int64_t n = theory::crossover(pass, sizes);
      CHECK(static_cast<double>(n) ==
            Approx(static_cast<double>(sizes.d_model) *
                   (2.0 * static_cast<double>(sizes.d_k) + static_cast<double>(sizes.d_v)) /
                   static_cast<double>(sizes.d_k + sizes.d_v))
                .epsilon(0.05));  // softmax aside
      for (const std::int64_t at : {n - 1, n}) {
        sizes.n_tokens = at;
        const theory::PartCounts cost = theory::operations(pass, sizes);
        CHECK((cost.attention >= cost.projections) == (at >= n));
      }
    }
    CHECK(theory::crossover(pass, {1, 1, 1, 1}) == 1);
  }
}

TEST_CASE("attention_cost: the largest sizes fit, larger ones are refused", "[theory]") {
  const std::int64_t most = theory::largest_size;
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    const theory::PartCounts cost = theory::operations(pass, {most, most, most, most});
    const double n = static_cast<double>(most), times = pass == Pass::forward ? 1 : 2;
    CHECK(static_cast<double>(cost.projections) == Approx(times * 6 * n * n * n));
    CHECK(static_cast<double>(cost.layer()) == Approx(times * 10 * n * n * n).epsilon(1e-4));
    CHECK_THROWS_AS(theory::operations(pass, {most + 1, 1, 1, 1}), std::invalid_argument);
    CHECK_THROWS_AS(theory::numbers_held(pass, {1, 1, 0, 1}), std::invalid_argument);
    CHECK_THROWS_AS(theory::crossover(pass, {1, 1, 1, -1}), std::invalid_argument);
  }
}
