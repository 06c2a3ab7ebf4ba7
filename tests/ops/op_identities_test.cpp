// Identities that need no finite differences, and what ops promise at the edges.
#include <array>
#include <cmath>
#include <limits>

#include "catch.hpp"
#include "rootdk/ops/cross_entropy.hpp"
#include "rootdk/ops/matmul.hpp"
#include "rootdk/ops/mean_squared_error.hpp"
#include "rootdk/ops/softmax_rows.hpp"
#include "rootdk/ops/streaming_attention.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

TEMPLATE_TEST_CASE("softmax_rows: rows sum to one, gradients of a row to zero", "[op][identity]",
                   float, double) {
  using T = TestType;
  const double size = GENERATE(0.1, 1.0, 30.0);
  Tape<T> tape;
  const auto z = normal(tape, Shape{7, 37}, 1, size);
  const auto p = softmax_rows(z);
  Tape<T> other;
  const auto g = values(normal(other, Shape{7, 37}, 2).value());
  tape.backward(p, View<const T>(g.data(), Shape{7, 37}));
  const double rounding = 40 * static_cast<double>(std::numeric_limits<T>::epsilon());
  for (Index i = 0; i < 7; ++i) {
    double sum = 0, d_sum = 0;
    for (Index j = 0; j < 37; ++j) {
      sum += static_cast<double>(p.value()(i, j));
      d_sum += static_cast<double>(z.grad()(i, j));
    }
    CHECK(std::abs(sum - 1) < rounding);
    CHECK(std::abs(d_sum) < rounding);
  }
}

TEST_CASE("softmax_rows: a shift of all scores changes nothing, a spread does", "[op][identity]") {
  Tape<double> tape;
  const auto z = tape.variable(Shape{3, 3});
  write(z, {0, 0, -1, 1000, 1000, 999, 1000, 990, 980});
  const auto p = softmax_rows(z);
  CHECK(values(p.value().slice(0, 0, 1)) == values(p.value().slice(0, 1, 1)));
  CHECK(p.value()(1, 0) == Approx(0.4223187982).epsilon(1e-9));
  CHECK(p.value()(2, 0) == Approx(1).epsilon(1e-4));
}

TEST_CASE("softmax_rows: long rows agree with a sum in extended precision", "[op][oracle]") {
  for (const Index n : {1, 15, 16, 17, 33, 1000}) {
    Tape<double> tape;
    const auto z = normal(tape, Shape{n}, 5, 3);
    const auto p = softmax_rows(z);
    long double sum = 0;
    for (const double x : values(z.value())) sum += std::exp(static_cast<long double>(x));
    for (Index j = 0; j < n; ++j) {
      const auto wanted = std::exp(static_cast<long double>(z.value()(j))) / sum;
      CHECK(p.value()(j) == Approx(static_cast<double>(wanted)).epsilon(1e-14));
    }
  }
}

TEST_CASE("softmax_rows: NaN in a visible score is not hidden", "[op]") {
  Tape<float> tape;
  const Index at = GENERATE(0, 5, 16, 39);
  const auto z = normal(tape, Shape{40}, 1);
  z.writable_value().data[at] = std::numeric_limits<float>::quiet_NaN();
  const auto p = softmax_rows(z);
  CHECK(std::isnan(p.value().data[3]));
}

TEMPLATE_TEST_CASE("cross_entropy: a confident mistake costs its gap, and is capped nowhere",
                   "[op][oracle]", float, double) {
  Tape<TestType> tape;
  const std::array<std::int32_t, 1> label{1};
  const auto logits = tape.variable(Shape{1, 3});
  write(logits, {1000, 0, -1000});
  const auto loss = cross_entropy(logits, View<const std::int32_t>(label.data(), Shape{1}));
  CHECK(loss.value().data[0] == 1000);
  tape.backward(loss);
  CHECK(values(logits.grad()) == std::vector<TestType>{1, -1, 0});
}

TEST_CASE("cross_entropy: its gradient at an almost certain right row does not cancel to zero",
          "[op][oracle]") {
  Tape<float> tape;
  const std::array<std::int32_t, 1> label{0};
  const auto logits = tape.variable(Shape{1, 3});
  write(logits, {25, 0, 0});  // 1 - p = 2 exp(-25) = 2.8e-11, far below the spacing of floats at 1
  const auto loss = cross_entropy(logits, View<const std::int32_t>(label.data(), Shape{1}));
  tape.backward(loss);
  const double others = 2 * std::exp(-25.0);
  CHECK(logits.grad()(0, 0) == Approx(-others).epsilon(1e-5));
  CHECK(logits.grad()(0, 1) == Approx(others / 2).epsilon(1e-5));
}

TEMPLATE_TEST_CASE("cross_entropy: the loss of an almost certain right row is small, not zero",
                   "[op][oracle]", float, double) {
  using T = TestType;
  const int gap = GENERATE(0, 1, 10, 20, 36, 37, 60, 80);  // e^-80 is still a normal float
  CAPTURE(gap);
  Tape<T> tape;
  const std::array<std::int32_t, 3> labels{1, CrossEntropy::ignored, 1};
  const auto logits = tape.variable(Shape{3, 4});
  const double top = gap, z = 0;
  write(logits, {z, top, z, z, 7, 8, 9, 10, z, top, z, z});
  const auto loss = cross_entropy(logits, View<const std::int32_t>(labels.data(), Shape{3}));
  const long double wanted = std::log1p(3 * std::exp(-static_cast<long double>(gap)));
  const double rounding = 4 * static_cast<double>(std::numeric_limits<T>::epsilon());
  CHECK(static_cast<double>(loss.value().data[0]) ==
        Approx(static_cast<double>(wanted)).epsilon(rounding).margin(0));
}

TEST_CASE("cross_entropy: uniform logits cost ln C, ignored rows nothing", "[op]") {
  Tape<double> tape;
  const std::array<std::int32_t, 3> labels{4, CrossEntropy::ignored, 0};
  const auto logits = tape.variable(Shape{3, 8});
  const auto loss = cross_entropy(logits, View<const std::int32_t>(labels.data(), Shape{3}));
  CHECK(loss.value().data[0] == Approx(std::log(8.0)).epsilon(1e-15));
  tape.backward(loss);
  CHECK(values(logits.grad().slice(0, 1, 1)) == std::vector<double>(8, 0.0));
}

TEST_CASE("cross_entropy: a label that is no class is refused by number and row", "[op]") {
  Tape<double> tape;
  const std::int32_t wrong = GENERATE(3, -1);
  const std::array<std::int32_t, 2> labels{0, wrong};
  const auto logits = tape.variable(Shape{2, 3});
  CHECK_THROWS_WITH(cross_entropy(logits, View<const std::int32_t>(labels.data(), Shape{2})),
                    ROOTDK_CONTAINS("label " + std::to_string(wrong)) && ROOTDK_CONTAINS("row 1") &&
                        ROOTDK_CONTAINS("3 classes"));
}

TEST_CASE("ops name themselves and the shapes they refuse", "[op]") {
  Tape<double> tape;
  const auto a = tape.variable(Shape{2, 3}), b = tape.variable(Shape{3, 2});
  const std::array<std::int32_t, 3> labels{};
  CHECK_THROWS_WITH(mean_squared_error(a, b),
                    ROOTDK_CONTAINS("mean_squared_error") && ROOTDK_CONTAINS("(2, 3) and (3, 2)"));
  CHECK_THROWS_WITH(cross_entropy(a, View<const std::int32_t>(labels.data(), Shape{3})),
                    ROOTDK_CONTAINS("cross_entropy: takes one label a row"));
  const std::array<bool, 4> allowed{};
  CHECK_THROWS_WITH(softmax_rows(a, {.allowed = {allowed.data(), Shape{2, 2}}}),
                    ROOTDK_CONTAINS("the mask has shape (2, 3)"));
}

TEST_CASE("a masked product of a view without contiguous rows or columns is refused by name",
          "[op]") {
  Tape<double> tape;
  const auto x = normal(tape, Shape{3, 3}, 1);
  const auto wide = normal(tape, Shape{6, 6}, 2);
  const auto every_second = tape.alias(wide, [](View<double> all) {
    View<double> view(all.data, Shape{3, 3});
    view.stride[0] = 12;
    view.stride[1] = 2;
    return view;
  });
  CHECK_THROWS_WITH(matmul(x, every_second, {.left_mask = {.causal = true}}),
                    ROOTDK_CONTAINS("neither the rows nor the columns of the right operand"));
  CHECK_THROWS_WITH(streaming_attention(x, x, every_second, {.mask = {.causal = true}}),
                    ROOTDK_CONTAINS("neither the rows nor the columns of the right operand"));
}
