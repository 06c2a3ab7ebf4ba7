// The counts of streaming attention against plain loops over tiles of a number type that counts, which
// are first shown to compute what the op computes, and its memory against the tape.
#include "catch.hpp"
#include "rootdk/attention/attention.hpp"
#include "rootdk/theory/attention_cost.hpp"
#include "support/counting.hpp"
#include "support/tensors.hpp"

using namespace rootdk;
using theory::LayerSizes;
using theory::Pass;
using theory::Tiles;

namespace {

struct KeyRange {
  std::size_t first, count;
};

struct NaiveStreaming {
  std::size_t n, d_k, d_v, rows, columns;
  Number s{1 / std::sqrt(static_cast<double>(d_k))};
  Matrix Q{n, d_k}, K{n, d_k}, V{n, d_v}, O{n, d_v};
  Matrix d_Q{n, d_k}, d_K{n, d_k}, d_V{n, d_v}, d_O{n, d_v};
  std::vector<Number> largest = std::vector<Number>(n, Number{-1e300}),
                      sum = std::vector<Number>(n);

  static Number dot(Matrix& a, std::size_t i, Matrix& b, std::size_t j) {
    Number result;
    for (std::size_t c = 0; c < a.cols; ++c) result = result + a(i, c) * b(j, c);
    return result;
  }
  // y_i += weight x_j
  static void add(Matrix& y, std::size_t i, Number weight, Matrix& x, std::size_t j) {
    for (std::size_t c = 0; c < y.cols; ++c) y(i, c) = y(i, c) + weight * x(j, c);
  }

  void join(std::size_t i, KeyRange keys) {
    std::vector<Number> p(keys.count);
    for (std::size_t j = 0; j < keys.count; ++j) p[j] = s * dot(Q, i, K, keys.first + j);
    Number of_tile{-1e300}, of_weights;
    for (const Number z : p) of_tile = of_tile < z ? z : of_tile;
    const Number now = largest[i] < of_tile ? of_tile : largest[i];
    const Number shrink = exp(largest[i] - now);
    for (Number& z : p) z = exp(z - now);
    for (const Number e : p) of_weights = of_weights + e;
    sum[i] = sum[i] * shrink + of_weights;
    largest[i] = now;
    for (std::size_t c = 0; c < d_v; ++c) O(i, c) = O(i, c) * shrink;
    for (std::size_t j = 0; j < keys.count; ++j) add(O, i, p[j], V, keys.first + j);
  }
  void forward() {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; j += columns) join(i, {j, std::min(columns, n - j)});
      sum[i] = Number{1} / sum[i];
      for (std::size_t c = 0; c < d_v; ++c) O(i, c) = O(i, c) * sum[i];
    }
  }
  void backward() {
    std::vector<Number> D(n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t first = i / rows * rows;
      for (std::size_t j = first; j < std::min(first + rows, n); ++j) {
        const Number product = dot(d_O, i, O, j);
        if (i == j) D[i] = product;
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        const Number p = exp(s * dot(Q, i, K, j) - largest[i]) * sum[i];
        const Number d_s = s * (p * (dot(d_O, i, V, j) - D[i]));
        add(d_V, j, p, d_O, i);
        add(d_Q, i, d_s, K, j);
        add(d_K, j, d_s, Q, i);
      }
    }
  }
};

void copy(Matrix& to, const View<const double>& from) {
  const std::vector<double> numbers = values(from);
  for (std::size_t i = 0; i < numbers.size(); ++i) to.entries[i].value = numbers[i];
}

void check_equal(const Matrix& found, const View<const double>& wanted) {
  const std::vector<double> numbers = values(wanted);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    CHECK(found.entries[i].value == Approx(numbers[i]).epsilon(1e-10).margin(1e-12));
  }
}

}  // namespace

TEST_CASE("attention_cost: operations in tiles are those that plain loops do", "[theory]") {
  const auto size = [](std::int64_t extent) { return static_cast<std::size_t>(extent); };
  for (const LayerSizes& sizes :
       {LayerSizes{1, 1, 1, 1}, {7, 2, 3, 2}, {9, 4, 5, 1}, {12, 1, 2, 4}}) {
    for (const Tiles& tiles : {Tiles{1, 1}, {2, 3}, {4, 3}, {5, 2}, {128, 256}}) {
      const auto& [n, m, d_k, d_v] = sizes;
      Tape<double> tape;
      const auto q = normal(tape, Shape{n, d_k}, 1), k = normal(tape, Shape{n, d_k}, 2);
      const auto v = normal(tape, Shape{n, d_v}, 3), g = normal(tape, Shape{n, d_v}, 4);
      const double factor = 1 / std::sqrt(static_cast<double>(d_k));
      const auto o = streaming_attention(
          q, k, v, {factor, {}, GemmBackend::reference, tiles.queries, tiles.keys});
      tape.backward(o, g.value());
      NaiveStreaming loops{size(n), size(d_k), size(d_v), size(tiles.queries), size(tiles.keys)};
      copy(loops.Q, q.value());
      copy(loops.K, k.value());
      copy(loops.V, v.value());
      copy(loops.d_O, g.value());
      CHECK(count_of([&] { loops.forward(); }) ==
            theory::operations(Pass::forward, sizes, tiles).attention);
      CHECK(count_of([&] { loops.backward(); }) ==
            theory::operations(Pass::backward, sizes, tiles).attention);
      check_equal(loops.O, o.value());
      check_equal(loops.d_Q, q.grad());
      check_equal(loops.d_K, k.grad());
      check_equal(loops.d_V, v.grad());
    }
  }
}

// Beside the numbers a tape holds the op and what rounds each tensor up to 64 bytes.
TEMPLATE_TEST_CASE("attention_cost: memory in tiles is that of the tape", "[theory]", float,
                   double) {
  const auto beside_numbers = [](const LayerSizes& sizes, bool with_gradients) {
    const auto& [n, m, d_k, d_v] = sizes;
    Tape<TestType> tape;
    const auto input = [&](Index rows, Index columns) {
      const Shape shape{rows, columns};
      return with_gradients ? tape.variable(shape) : tape.constant(shape);
    };
    const auto x = input(n, m);
    attention(matmul(x, input(m, d_k)), matmul(x, input(m, d_k)), matmul(x, input(m, d_v)),
              {.kind = AttentionKind::streaming});
    const Pass pass = with_gradients ? Pass::backward : Pass::forward;
    return static_cast<std::int64_t>(tape.bytes()) -
           static_cast<std::int64_t>(sizeof(TestType)) *
               theory::numbers_held(pass, sizes, Tiles{}).layer();
  };
  for (const bool with_gradients : {false, true}) {
    const std::int64_t constant = beside_numbers({16, 16, 16, 16}, with_gradients);
    CHECK(constant > 0);
    CHECK(constant < 4096);
    CHECK(beside_numbers({1600, 32, 16, 48}, with_gradients) == constant);
    CHECK(beside_numbers({192, 16, 64, 32}, with_gradients) == constant);
    CHECK(beside_numbers({7, 5, 3, 2}, with_gradients) < constant + 64 * 17);
  }
}

TEST_CASE("attention_cost: the tiles that are counted are those of the op", "[theory]") {
  CHECK(Tiles{}.queries == StreamingAttention{}.query_tile);
  CHECK(Tiles{}.keys == StreamingAttention{}.key_tile);
}

TEST_CASE("attention_cost: in tiles, from the crossover on attention takes the most", "[theory]") {
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    for (LayerSizes sizes : {LayerSizes{1, 128, 64, 64}, {1, 512, 7, 100}, {1, 3, 2, 1}}) {
      for (const Tiles& tiles : {Tiles{}, Tiles{1, 1}, Tiles{5, 3}}) {
        const std::int64_t n = theory::crossover(pass, sizes, tiles);
        CHECK(n <= theory::crossover(pass, sizes) + 1);
        for (std::int64_t at = 1; at < 4 * sizes.d_model; ++at) {
          sizes.n_tokens = at;
          const theory::PartCounts cost = theory::operations(pass, sizes, tiles);
          if ((cost.attention >= cost.projections) != (at >= n)) FAIL("n " << at << ", from " << n);
        }
      }
    }
  }
}

TEST_CASE("attention_cost: in tiles, the largest sizes fit and larger ones are refused",
          "[theory]") {
  const std::int64_t most = theory::largest_size;
  const LayerSizes sizes{most, most, most, most};
  const auto n = static_cast<double>(most);
  for (const Tiles& tiles : {Tiles{}, Tiles{1, 1}, Tiles{most, most}}) {
    const auto back = theory::operations(Pass::backward, sizes, tiles).attention;
    CHECK(static_cast<double>(back) >= 9.9 * n * n * n);
    CHECK(static_cast<double>(back) <= 12.1 * n * n * n);
    CHECK(theory::crossover(Pass::backward, sizes, tiles) >= most);
    CHECK(theory::crossover(Pass::forward, sizes, tiles) < 2 * most);
    CHECK(theory::numbers_held(Pass::backward, sizes, tiles).attention > 0);
  }
  CHECK_THROWS_AS(theory::operations(Pass::forward, sizes, {0, 1}), std::invalid_argument);
  CHECK_THROWS_AS(theory::operations(Pass::forward, {most + 1, 1, 1, 1}, Tiles{}),
                  std::invalid_argument);
  CHECK_THROWS_AS(theory::numbers_held(Pass::forward, {0, 1, 1, 1}, Tiles{}),
                  std::invalid_argument);
}
