#include "rootdk/attention/attention.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>
#include <xtensor-blas/xlinalg.hpp>
#include <xtensor/xadapt.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include "catch.hpp"
#include "rootdk/autodiff/gradcheck.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0, worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(b[i]));
    const double difference = std::abs(a[i] - b[i]);
    worst = !(difference <= worst) ? difference : worst;  // NaN is the worst
  }
  return worst / std::max(largest, 1e-300);
}

template <class T>
void backward(const Attention<T>& result, const std::vector<T>& cotangent) {
  result.output.tape().backward(result.output,
                                View<const T>(cotangent.data(), result.output.shape()));
}

// ---- stored results of PyTorch ----

struct Stored {
  Shape shape;
  std::vector<double> numbers;
};
using Case = std::map<std::string, Stored>;

std::map<std::string, Case> torch_cases() {
  std::ifstream file(ROOTDK_SOURCE_DIR "/tests/data/torch/attention_cases.txt");
  std::map<std::string, Case> cases;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name, tensor;
    int rank = 0;
    words >> name >> tensor >> rank;
    std::array<Index, 4> extent{1, 1, 1, 1};
    for (int axis = 0; axis < rank; ++axis) words >> extent[static_cast<std::size_t>(axis)];
    Stored& stored = cases[name][tensor];
    stored.shape = rank == 1   ? Shape{extent[0]}
                   : rank == 2 ? Shape{extent[0], extent[1]}
                   : rank == 3 ? Shape{extent[0], extent[1], extent[2]}
                               : Shape{extent[0], extent[1], extent[2], extent[3]};
    for (double number = 0; words >> number;) stored.numbers.push_back(number);
    REQUIRE(static_cast<Index>(stored.numbers.size()) == stored.shape.size());
  }
  return cases;
}

}  // namespace

TEST_CASE("attention: values and gradients are those of PyTorch, to 1e-10", "[attention][oracle]") {
  const auto backend = GENERATE(GemmBackend::tile, GemmBackend::cblas, GemmBackend::reference);
  const auto cases = torch_cases();
  REQUIRE(cases.size() == 10);
  for (const auto& [name, tensors] : cases) {
    INFO(name);
    Tape<double> tape;
    const auto input = [&, &all = tensors](const char* tensor) {
      const auto var = tape.variable(all.at(tensor).shape);
      write(var, all.at(tensor).numbers);
      return var;
    };
    const auto q = input("queries"), k = input("keys"), v = input("values");
    Mask mask;
    std::vector<char> buffer;
    if (name.starts_with("causal")) {
      mask.causal = true;
    } else if (tensors.contains("mask")) {
      const View<bool> allowed = tape.data<bool>(tensors.at("mask").shape);
      const auto& numbers = tensors.at("mask").numbers;
      for (std::size_t i = 0; i < numbers.size(); ++i) allowed.data[i] = numbers[i] != 0;
      mask.allowed = allowed;
    }
    const std::string scale = [](double s) {
      std::ostringstream text;
      text.precision(17);
      text << s;
      return text.str();
    }(tensors.at("scale").numbers[0]);
    const auto result = attention(q, k, v, {score_rule(scale), mask, backend});
    backward(result, tensors.at("d_output").numbers);
    const auto check = [&, &all = tensors](const char* tensor, const View<const double>& found) {
      INFO(tensor);
      CHECK(largest_difference(values(found), all.at(tensor).numbers) < 1e-10);
    };
    check("weights", result.weights.value());
    check("output", result.output.value());
    check("d_queries", q.grad());
    check("d_keys", k.grad());
    check("d_values", v.grad());
    check("d_scores", result.scores.grad());
  }
}

TEST_CASE("attention: gradients are the closed form, by loops and by xtensor-blas",
          "[attention][oracle]") {
  // dV = A^T G, dA = G V^T, dZ = A o (dA - rowsum(A o dA)), dQ = s dZ K, dK = s dZ^T Q
  const Index n_q = 6, n_k = 9, d_k = 8, d_v = 5;
  Tape<double> tape;
  const auto q = normal(tape, Shape{n_q, d_k}, 1), k = normal(tape, Shape{n_k, d_k}, 2);
  const auto v = normal(tape, Shape{n_k, d_v}, 3);
  const auto result = attention(q, k, v);
  Tape<double> other;
  const std::vector<double> g = values(normal(other, Shape{n_q, d_v}, 4).value());
  backward(result, g);

  const auto tensor = [](const std::vector<double>& x, Index rows, Index cols) {
    xt::xtensor<double, 2> t = xt::zeros<double>({rows, cols});
    std::copy(x.begin(), x.end(), t.begin());
    return t;
  };
  const double s = 1 / std::sqrt(static_cast<double>(d_k));
  const auto Q = tensor(values(q.value()), n_q, d_k), K = tensor(values(k.value()), n_k, d_k);
  const auto V = tensor(values(v.value()), n_k, d_v), G = tensor(g, n_q, d_v);
  xt::xtensor<double, 2> A = xt::linalg::dot(Q, xt::transpose(K));
  for (Index i = 0; i < n_q; ++i) {
    double sum = 0;
    for (Index j = 0; j < n_k; ++j) sum += A(i, j) = std::exp(s * A(i, j));
    for (Index j = 0; j < n_k; ++j) A(i, j) /= sum;
  }
  const xt::xtensor<double, 2> d_A = xt::linalg::dot(G, xt::transpose(V));
  xt::xtensor<double, 2> d_S = d_A;
  for (Index i = 0; i < n_q; ++i) {
    double mean = 0;
    for (Index j = 0; j < n_k; ++j) mean += A(i, j) * d_A(i, j);
    for (Index j = 0; j < n_k; ++j) d_S(i, j) = s * A(i, j) * (d_A(i, j) - mean);
  }
  const auto check = [](const View<const double>& found, const auto& expression) {
    const xt::xtensor<double, 2> wanted = expression;
    CHECK(largest_difference(values(found), {wanted.begin(), wanted.end()}) < 1e-13);
  };
  check(result.weights.value(), A);
  check(result.output.value(), xt::linalg::dot(A, V));
  check(v.grad(), xt::linalg::dot(xt::transpose(A), G));
  check(result.weights.grad(), d_A);
  check(result.scores.grad(), d_S);
  check(q.grad(), xt::linalg::dot(d_S, K));
  check(k.grad(), xt::linalg::dot(xt::transpose(d_S), Q));
}

TEST_CASE("attention: the whole passes gradcheck, under every rule and mask",
          "[attention][gradcheck]") {
  const std::string rule = GENERATE("none", "inv_sqrt_dk", "inv_dk", "0.3");
  const bool causal = GENERATE(false, true);
  const auto backend = GENERATE(GemmBackend::tile, GemmBackend::cblas, GemmBackend::reference);
  Tape<double> tape;
  const auto q = normal(tape, Shape{2, 4, 3}, 1), k = normal(tape, Shape{2, 5, 3}, 2);
  const auto v = normal(tape, Shape{2, 5, 2}, 3);
  const auto result = attention(q, k, v, {score_rule(rule), Mask{.causal = causal}, backend});
  const auto report = gradcheck("attention", result.output, std::array{q, k, v});
  INFO(report.log);
  CHECK(report.ok);
}

TEST_CASE("attention: Q = K = V = X gets the sum of three gradients", "[attention]") {
  Tape<double> tape;
  const auto x = normal(tape, Shape{4, 3}, 1);
  const auto tied = attention(x, x, x);
  Tape<double> other;
  const auto q = normal(other, Shape{4, 3}, 1), k = normal(other, Shape{4, 3}, 1),
             v = normal(other, Shape{4, 3}, 1);
  const auto apart = attention(q, k, v);
  const std::vector<double> g{1, -2, 0.5, 0.1, 3, -1, 2, 0, 0.7, -0.3, 1.1, 0.4};
  backward(tied, g);
  backward(apart, g);
  std::vector<double> sum = values(q.grad());
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] += values(k.grad())[i] + values(v.grad())[i];
  }
  CHECK(largest_difference(values(x.grad()), sum) < 1e-14);
  const auto report = gradcheck("Q = K = V = X", tied.output, std::array{x});
  INFO(report.log);
  CHECK(report.ok);
}

TEST_CASE("attention: the three tokens of the course, with right weights", "[attention][oracle]") {
  Tape<double> tape;
  const auto q = tape.variable(Shape{3, 2}), k = tape.variable(Shape{3, 2}),
             v = tape.variable(Shape{3, 2});
  write(q, {1, 0, 0, 1, 1, 1});
  write(k, {1, 0, 0, 1, 1, 1});
  write(v, {10, 0, 0, 10, 5, 5});
  const auto result = attention(q, k, v);
  const std::vector<double> weights{0.401112, 0.197776, 0.401112, 0.197776, 0.401112,
                                    0.401112, 0.248255, 0.248255, 0.503490};
  const std::vector<double> output{6.016681, 3.983319, 3.983319, 6.016681, 5, 5};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    CHECK(values(result.weights.value())[i] == Approx(weights[i]).margin(5e-7));
  }
  for (std::size_t i = 0; i < output.size(); ++i) {
    CHECK(values(result.output.value())[i] == Approx(output[i]).margin(5e-7));
  }
}

TEST_CASE("attention: what a mask hides never leaks, not even NaN", "[attention][mask]") {
  // Key 2 of sequence 1 and all keys of sequence 0 from 1 on are hidden, and hold NaN.
  const auto run = [](double hidden) {
    Tape<double> tape;
    const auto q = normal(tape, Shape{2, 3, 4}, 1), k = normal(tape, Shape{2, 3, 4}, 2),
               v = normal(tape, Shape{2, 3, 2}, 3);
    const View<std::int32_t> lengths = tape.data<std::int32_t>(Shape{2});
    lengths.data[0] = 1;
    lengths.data[1] = 2;
    for (const auto& var : {k, v}) {
      const View<double> value = var.writable_value();
      for (Index d = 0; d < value.shape[2]; ++d) {
        value(0, 1, d) = value(0, 2, d) = value(1, 2, d) = hidden;
      }
    }
    const auto result = attention(q, k, v, {.mask = {.lengths = lengths}});
    tape.replay();
    Tape<double> other;
    backward(result, values(normal(other, Shape{2, 3, 2}, 4).value()));
    std::vector<double> all = values(result.output.value());
    for (const auto& view : {result.weights.value(), q.grad(), k.grad(), v.grad(),
                             result.weights.grad(), result.scores.grad()}) {
      for (const double x : values(view)) all.push_back(x);
    }
    return all;
  };
  const auto clean = run(0), dirty = run(not_a_number), infinite = run(-1 / 0.0);
  CHECK(largest_difference(dirty, clean) < 1e-14);
  CHECK(largest_difference(infinite, clean) < 1e-14);
}

TEST_CASE("attention: a NaN that a causal query may see reaches it, and no earlier one",
          "[attention][mask]") {
  Tape<double> tape;
  const auto x = normal(tape, Shape{4, 3}, 1);
  const auto v = normal(tape, Shape{4, 2}, 2);
  v.writable_value()(2, 0) = not_a_number;
  const auto result = attention(x, x, v, {.mask = {.causal = true}});
  const View<const double> o = result.output.value();
  CHECK(std::isfinite(o(0, 0)));
  CHECK(std::isfinite(o(1, 0)));
  CHECK(std::isnan(o(2, 0)));
  CHECK(std::isnan(o(3, 0)));
  CHECK(std::isfinite(o(2, 1)));
}

TEST_CASE("attention: a query that sees no key returns zeros and sends no gradient",
          "[attention][mask]") {
  Tape<double> tape;
  const auto q = normal(tape, Shape{2, 3}, 1), k = normal(tape, Shape{4, 3}, 2),
             v = normal(tape, Shape{4, 2}, 3);
  const View<bool> allowed = tape.data<bool>(Shape{2, 4});
  std::fill_n(allowed.data + 4, 4, true);  // query 0 sees nothing, query 1 everything
  const auto result = attention(q, k, v, {.mask = {.allowed = allowed}});
  backward(result, {1, 2, 3, 4});
  CHECK(values(result.output.value().slice(0, 0, 1)) == std::vector<double>{0, 0});
  CHECK(values(result.weights.value().slice(0, 0, 1)) == std::vector<double>{0, 0, 0, 0});
  CHECK(values(q.grad().slice(0, 0, 1)) == std::vector<double>{0, 0, 0});
  for (const double d : values(k.grad())) CHECK(std::isfinite(d));
}

TEST_CASE("attention: masks are read anew at every replay", "[attention][mask]") {
  Tape<float> tape;
  const auto x = normal(tape, Shape{1, 3, 2}, 1);
  const View<std::int32_t> lengths = tape.data<std::int32_t>(Shape{1});
  lengths.data[0] = 1;
  const auto result = attention(x, x, x, {.mask = {.lengths = lengths}});
  CHECK(result.weights.value()(0, 0, 1) == 0);
  lengths.data[0] = 2;
  tape.replay();
  CHECK(result.weights.value()(0, 0, 1) > 0);
  CHECK(result.weights.value()(0, 0, 2) == 0);
}

TEST_CASE("score rules: the table, a number, and what is refused", "[attention][score_rule]") {
  CHECK(score_rule("none").factor(256) == 1);
  CHECK(score_rule("inv_sqrt_dk").factor(256) == 0.0625);
  CHECK(score_rule("inv_dk").factor(256) == 1.0 / 256);
  CHECK(score_rule("-0.5").factor(256) == -0.5);
  CHECK(score_rule("1e-3").factor(16) == 1e-3);
  for (const char* word : {"", "nan", "inf", "0,5", "0x1p-1", "inv_sqrt", " 1", "1 "}) {
    INFO(word);
    CHECK_THROWS_WITH(score_rule(word), ROOTDK_CONTAINS("none, inv_sqrt_dk, inv_dk"));
  }
}
