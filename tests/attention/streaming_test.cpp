// Streaming attention against the materialised path: the same values and gradients, whatever the mask
// hides, and memory that grows as n.
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "rootdk/attention/attention.hpp"
#include "rootdk/autodiff/gradcheck.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

namespace {

struct Sizes {
  Index batch, n_q, n_k, d_k, d_v;
  Shape stack(Index rows, Index cols) const {
    return batch == 0 ? Shape{rows, cols} : Shape{batch, rows, cols};
  }
};

// Masks on buffers of the tape: every third key and the whole of query 1 denied; lengths that shrink.
template <class T>
Mask mask_of(std::string_view words, Tape<T>& tape, const Sizes& sizes) {
  Mask mask;
  mask.causal = words.find("causal") != words.npos;
  if (words.find("lengths") != words.npos) {
    const View<std::int32_t> lengths =
        tape.template data<std::int32_t>(Shape{std::max<Index>(sizes.batch, 1)});
    for (Index b = 0; b < lengths.shape[0]; ++b) {
      lengths.data[b] =
          static_cast<std::int32_t>(b == 1 ? 0 : std::max<Index>(sizes.n_k - 2 - b, 1));
    }
    mask.lengths = lengths;
  }
  if (words.find("allowed") != words.npos) {
    const View<bool> allowed = tape.template data<bool>(Shape{sizes.n_q, sizes.n_k});
    for (Index i = 0; i < sizes.n_q; ++i) {
      for (Index j = 0; j < sizes.n_k; ++j) allowed(i, j) = i != 1 && (i + 2 * j) % 3 != 0;
    }
    mask.allowed = allowed;
  }
  return mask;
}

template <class T>
struct Layer {
  Tape<T> tape;
  Var<T> q, k, v, output;
  std::vector<T> cotangent;
  Mask mask;

  Layer(const Sizes& sizes, std::string_view mask_words, double deviation = 1) {
    q = normal(tape, sizes.stack(sizes.n_q, sizes.d_k), 1, deviation);
    k = normal(tape, sizes.stack(sizes.n_k, sizes.d_k), 2, deviation);
    v = normal(tape, sizes.stack(sizes.n_k, sizes.d_v), 3);
    mask = mask_of(mask_words, tape, sizes);
    Tape<T> other;
    cotangent = values(normal(other, sizes.stack(sizes.n_q, sizes.d_v), 4).value());
  }
  // Tiles of (0, 0) are the materialised path.
  void record(Index query_tile, Index key_tile, GemmBackend backend, double factor) {
    if (query_tile == 0) {
      output = attention(q, k, v, {score_rule("0.25"), mask, backend}).output;
    } else {
      output = streaming_attention(q, k, v, {factor, mask, backend, query_tile, key_tile});
    }
  }
  // Output, then the gradients of Q, K and V.
  std::vector<std::vector<T>> results() {
    tape.replay();
    tape.backward(output, View<const T>(cotangent.data(), output.shape()));
    return {values(output.value()), values(q.grad()), values(k.grad()), values(v.grad())};
  }
};

template <class T>
std::vector<std::vector<T>> results(const Sizes& sizes, std::string_view mask, Index query_tile,
                                    Index key_tile, GemmBackend backend = GemmBackend::reference,
                                    double deviation = 1) {
  Layer<T> layer(sizes, mask, deviation);
  layer.record(query_tile, key_tile, backend, 0.25);
  return layer.results();
}

// The largest difference over the largest entry, of the worst tensor; NaN only where both have it.
template <class T>
double difference(const std::vector<std::vector<T>>& found,
                  const std::vector<std::vector<T>>& wanted) {
  double worst = 0;
  for (std::size_t t = 0; t < wanted.size(); ++t) {
    double largest = 0, apart = 0;
    for (std::size_t i = 0; i < wanted[t].size(); ++i) {
      if (std::isnan(found[t][i]) && std::isnan(wanted[t][i])) continue;
      largest = std::max(largest, std::abs(static_cast<double>(wanted[t][i])));
      const double here =
          std::abs(static_cast<double>(found[t][i]) - static_cast<double>(wanted[t][i]));
      apart = !(here <= apart) ? here : apart;
    }
    worst = std::max(worst, std::isnan(apart) ? INFINITY : apart / std::max(largest, 1e-300));
  }
  return worst;
}

}  // namespace

TEMPLATE_TEST_CASE("streaming attention: values and gradients of the materialised path",
                   "[attention][streaming]", float, double) {
  using T = TestType;
  const double rounding = sizeof(T) == 4 ? 3e-6 : 1e-12;
  const auto backend = GENERATE(GemmBackend::tile, GemmBackend::cblas, GemmBackend::reference);
  const std::string mask = GENERATE(as<std::string>{}, "", "causal", "lengths", "allowed",
                                    "causal lengths", "causal allowed", "causal lengths allowed");
  for (const Sizes& sizes : {Sizes{0, 1, 1, 1, 1}, Sizes{0, 9, 9, 1, 3}, Sizes{0, 300, 270, 4, 2},
                             Sizes{3, 7, 13, 5, 4}, Sizes{3, 13, 7, 3, 2}, Sizes{1, 2, 40, 8, 8}}) {
    const auto wanted = results<T>(sizes, mask, 0, 0, backend);
    for (const auto& [query_tile, key_tile] :
         {std::pair<Index, Index>{128, 256}, {2, 3}, {5, 2}, {1, 1}, {64, 4}}) {
      INFO(mask << "; n_q " << sizes.n_q << ", n_k " << sizes.n_k << "; tiles of " << query_tile
                << " x " << key_tile);
      CHECK(difference(results<T>(sizes, mask, query_tile, key_tile, backend), wanted) < rounding);
    }
  }
}

TEST_CASE("streaming attention: scores of 10^4 and one-hot weights", "[attention][streaming]") {
  const Sizes sizes{0, 20, 30, 4, 3};
  const auto wanted = results<double>(sizes, "", 0, 0, GemmBackend::reference, 100);
  CHECK(difference(results<double>(sizes, "", 3, 4, GemmBackend::reference, 100), wanted) < 1e-11);
  // In float a weight is off by |z| epsilon at most when its score is rounded, and by nothing when two
  // paths round it alike, as these do.
  const auto single = results<float>(sizes, "", 0, 0, GemmBackend::reference, 100);
  CHECK(difference(results<float>(sizes, "", 3, 4, GemmBackend::reference, 100), single) < 1e-5);
}

TEST_CASE("streaming attention: a one-hot row gets a gradient of exactly zero in float32",
          "[attention][streaming]") {
  // Queries, values and tiles of widths that different parts of a product kernel take.
  const auto backend = GENERATE(GemmBackend::tile, GemmBackend::reference);
  const Index n_q = GENERATE(1, 2, 3, 6, 66, 129), d_v = GENERATE(5, 8, 24, 64);
  const auto [query_tile, key_tile] = GENERATE(table<Index, Index>({{4, 5}, {128, 256}}));
  const Index n_k = 40;
  Layer<float> layer({0, n_q, n_k, 4, d_v}, "");
  for (Index i = 0; i < n_q; ++i) layer.q.writable_value()(i, 0) = 10;
  for (Index j = 0; j < n_k; ++j) layer.k.writable_value()(j, 0) = j == 7 ? 100.0F : 0.0F;
  layer.record(query_tile, key_tile, backend, 0.25);
  const auto found = layer.results();
  const auto zeros = [](Index rows) {
    return std::vector<float>(static_cast<std::size_t>(4 * rows));
  };
  CHECK(found[1] == zeros(n_q));
  CHECK(found[2] == zeros(n_k));
  for (Index i = 0; i < n_q; ++i) {
    for (Index c = 0; c < d_v; ++c) CHECK(layer.output.value()(i, c) == layer.v.value()(7, c));
  }
}

TEMPLATE_TEST_CASE("streaming attention: NaN reaches what may see it, exactly as in the five steps",
                   "[attention][streaming][mask]", float, double) {
  using T = TestType;
  const std::string mask =
      GENERATE(as<std::string>{}, "", "causal", "lengths", "allowed", "causal allowed");
  const Sizes sizes{3, 7, 9, 3, 2};
  const Index row = GENERATE(0, 1, 4, 6);
  const int where = GENERATE(0, 1, 2, 3);  // in Q, K, V, the cotangent
  const auto run = [&](Index query_tile, Index key_tile) {
    Layer<T> layer(sizes, mask);
    const T bad = std::numeric_limits<T>::quiet_NaN();
    for (Index b = 0; b < 3; ++b) {
      if (where == 3) layer.cotangent[static_cast<std::size_t>((b * 7 + row) * 2 + 1)] = bad;
      if (where != 3)
        (where == 0 ? layer.q : where == 1 ? layer.k : layer.v).writable_value()(b, row, 1) = bad;
    }
    layer.record(query_tile, key_tile, GemmBackend::reference, 0.25);
    return layer.results();
  };
  INFO("mask '" << mask << "', row " << row << " of input " << where);
  const auto wanted = run(0, 0);
  CHECK(difference(run(2, 3), wanted) < 1e-5);
  CHECK(difference(run(128, 256), wanted) < 1e-5);
}

TEST_CASE("streaming attention: keys that nobody sees have no effect, whatever they hold",
          "[attention][streaming][mask]") {
  const auto run = [](double hidden) {
    Layer<double> layer({3, 5, 8, 3, 2}, "lengths");  // 6, 0 and 4 keys
    for (const auto& [b, first] : {std::pair<Index, Index>{0, 6}, {1, 0}, {2, 4}}) {
      for (Index j = first; j < 8; ++j) {
        layer.k.writable_value()(b, j, 0) = layer.v.writable_value()(b, j, 1) = hidden;
      }
    }
    layer.record(2, 3, default_gemm, 0.25);
    return layer.results();
  };
  const auto clean = run(0);
  CHECK(run(std::numeric_limits<double>::quiet_NaN()) == clean);
  CHECK(run(-INFINITY) == clean);
}

TEST_CASE("streaming attention: a query that sees no key returns zeros and sends no gradient",
          "[attention][streaming][mask]") {
  Layer<double> layer({0, 4, 6, 3, 2}, "allowed");  // hides all keys from query 1
  for (Index c = 0; c < 3; ++c) layer.q.writable_value()(1, c) = NAN;
  layer.cotangent[2] = NAN;
  layer.record(2, 3, default_gemm, 0.25);
  const auto found = layer.results();
  CHECK(values(layer.output.value().slice(0, 1, 1)) == std::vector<double>{0, 0});
  CHECK(values(layer.q.grad().slice(0, 1, 1)) == std::vector<double>{0, 0, 0});
  for (const auto& tensor : found) {
    for (const double x : tensor) CHECK(std::isfinite(x));
  }
}

TEST_CASE("streaming attention: scores of -infinity weigh nothing, also in the first tile",
          "[attention][streaming]") {
  Tape<double> tape;
  const auto q = tape.variable(Shape{2, 1}), k = tape.variable(Shape{4, 1}),
             v = normal(tape, Shape{4, 2}, 3);
  write(q, {1, 2});
  write(k, {-INFINITY, -INFINITY, 0.5, 1});
  const auto wanted = attention(q, k, v, {.rule = score_rule("none")}).output;
  const auto found = streaming_attention(q, k, v, {.query_tile = 2, .key_tile = 2});
  CHECK(difference<double>({values(found.value())}, {values(wanted.value())}) < 1e-15);
  write(k, std::vector<double>(4, -INFINITY));  // and NaN where nothing else is left
  tape.replay();
  CHECK(std::isnan(found.value()(0, 0)));
  CHECK(std::isnan(wanted.value()(0, 0)));
}
