#include "rootdk/autodiff/tape.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "rootdk/ops/add.hpp"
#include "rootdk/ops/matmul.hpp"
#include "rootdk/ops/mean_squared_error.hpp"
#include "rootdk/ops/scale.hpp"
#include "rootdk/ops/softmax_rows.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

namespace {
// Multiplies by itself; deliberately tiny, as a user would write it.
struct Square {
  static constexpr std::string_view name = "square";
  Shape output_shape(std::span<const Shape> in) const {
    expect_inputs(name, in, 1);
    return in[0];
  }
  template <class T>
  void forward(const ForwardArgs<T>& args) const {
    for (Index i = 0; i < args.out.shape.size(); ++i) {
      args.out.data[i] = args.in[0].data[i] * args.in[0].data[i];
    }
  }
  template <class T>
  void vjp(const VjpArgs<T>& args) const {
    if (!args.d_in[0]) return;
    for (Index i = 0; i < args.out.shape.size(); ++i) {
      args.d_in[0].data[i] += 2 * args.in[0].data[i] * args.d_out.data[i];
    }
  }
};
static_assert(Op<Square>);
}  // namespace

TEMPLATE_TEST_CASE("tape: applying an op runs it at once, replay reads new inputs", "[tape]", float,
                   double) {
  Tape<TestType> tape;
  const auto x = tape.variable(Shape{2, 2});
  write(x, {1, 2, 3, 4});
  const auto y = tape.apply(Square{}, {x});
  CHECK(values(y.value()) == std::vector<TestType>{1, 4, 9, 16});
  write(x, {2, 2, 2, 5});
  CHECK(values(y.value()) == std::vector<TestType>{1, 4, 9, 16});
  tape.replay();
  CHECK(values(y.value()) == std::vector<TestType>{4, 4, 4, 25});
}

TEMPLATE_TEST_CASE("tape: a tensor used twice gets the sum of its gradients", "[tape]", float,
                   double) {
  Tape<TestType> tape;
  const auto x = tape.variable(Shape{1});
  write(x, {3});
  // d/dx (x^2 + x^2 + x) = 4 x + 1
  const auto y = add(add(tape.apply(Square{}, {x}), tape.apply(Square{}, {x})), x);
  tape.backward(y);
  CHECK(values(x.grad()) == std::vector<TestType>{13});
}

TEST_CASE("tape: backward twice gives the same bits, not twice the gradient", "[tape]") {
  Tape<double> tape;
  const auto x = normal(tape, Shape{3, 5}, 1);
  const auto w = normal(tape, Shape{5, 4}, 2);
  const auto loss = mean_squared_error(softmax_rows(matmul(x, w)), normal(tape, Shape{3, 4}, 3));
  tape.backward(loss);
  const auto once = values(w.grad());
  tape.backward(loss);
  CHECK(values(w.grad()) == once);
}

TEST_CASE("tape: constants get no gradient, nor does what depends on them alone", "[tape]") {
  Tape<double> tape;
  const auto c = tape.constant(Shape{2});
  const auto x = tape.variable(Shape{2});
  const auto scaled = scale(c, 2);
  const auto y = add(scaled, x);
  CHECK_FALSE(c.grad());
  CHECK_FALSE(scaled.grad());
  CHECK(y.grad());
  CHECK_THROWS_WITH(tape.backward(scaled, View<const double>(nullptr, Shape{2})),
                    ROOTDK_CONTAINS("wants a gradient"));
}

TEST_CASE("tape: only what the loss depends on takes part in backward", "[tape]") {
  Tape<double> tape;
  const auto x = tape.variable(Shape{1});
  write(x, {0});
  // An infinite branch beside the loss: its zero cotangent must not become 0 * inf = NaN.
  const auto infinite = scale(x, std::numeric_limits<double>::infinity());
  const auto y = tape.apply(Square{}, {x});
  tape.backward(y);
  CHECK(std::isnan(infinite.value().data[0]));
  CHECK(values(x.grad()) == std::vector<double>{0});
}

TEST_CASE("tape: a parameter on two tapes is one tensor", "[tape]") {
  Parameter<double> w("w", Shape{2});
  Tape<double> training, evaluation;
  const auto trained = training.apply(Square{}, {training.parameter(w)});
  const auto evaluated = evaluation.apply(Square{}, {evaluation.frozen(w)});
  w.value().data[0] = 3;
  training.replay();
  evaluation.replay();
  CHECK(values(trained.value()) == std::vector<double>{9, 0});
  CHECK(values(evaluated.value()) == std::vector<double>{9, 0});
  const std::vector<double> ones{1, 1};
  training.backward(trained, View<const double>(ones.data(), Shape{2}));
  CHECK(values(View<const double>(w.grad())) == std::vector<double>{6, 0});
}

TEST_CASE("tape: views share memory and gradient with their parent", "[tape]") {
  Tape<double> tape;
  const auto x = tape.variable(Shape{2, 3});
  write(x, {1, 2, 3, 4, 5, 6});
  const auto column =
      tape.alias(x, [](View<double> view) { return view.slice(1, 1, 1); });  // 2 and 5
  const auto doubled = scale(column, 2);
  CHECK(values(doubled.value()) == std::vector<double>{4, 10});
  const std::vector<double> cotangent{1, 10};
  tape.backward(doubled, View<const double>(cotangent.data(), Shape{2, 1}));
  CHECK(values(x.grad()) == std::vector<double>{0, 2, 0, 0, 20, 0});
  CHECK(values(column.grad()) == std::vector<double>{2, 20});
}

TEST_CASE("tape: heads are views, with the gradients of separate computations", "[tape]") {
  // (B, n, h d) seen as (B, h, n, d): matmul runs on the strided view.
  const Index B = 2, n = 3, h = 2, d = 4;
  Tape<double> tape;
  const auto x = normal(tape, Shape{B, n, h * d}, 7);
  const auto heads = tape.alias(x, [&](View<double> view) {
    View<double> split;
    split.data = view.data;
    split.shape = Shape{B, h, n, d};
    split.stride = {n * h * d, d, h * d, 1};
    return split;
  });
  const auto scores = matmul(heads, transpose(heads));
  CHECK(scores.shape() == Shape{B, h, n, n});
  double expected = 0;  // head 1 of sequence 1, query 2, key 0
  for (Index c = 0; c < d; ++c) expected += x.value()(1, 2, d + c) * x.value()(1, 0, d + c);
  CHECK(scores.value()(1, 1, 2, 0) == Approx(expected).epsilon(1e-14));
  CHECK_THROWS_WITH(softmax_rows(transpose(heads)),
                    ROOTDK_CONTAINS("softmax_rows") && ROOTDK_CONTAINS("contiguous"));
}

TEST_CASE("tape: a failed shape check records nothing", "[tape]") {
  Tape<double> tape;
  const auto a = tape.variable(Shape{2, 3});
  const auto b = tape.variable(Shape{4, 5});
  const Index before = tape.size();
  CHECK_THROWS_WITH(matmul(a, b), ROOTDK_CONTAINS("matmul") && ROOTDK_CONTAINS("(2, 3)") &&
                                      ROOTDK_CONTAINS("(4, 5)"));
  CHECK(tape.size() == before);
}

TEST_CASE("tape: handles from before a rewind are refused, and so are those of another tape",
          "[tape]") {
  Tape<double> tape, other;
  const auto old = tape.variable(Shape{2});
  tape.rewind();
  const auto fresh = tape.variable(Shape{2});
  CHECK_THROWS_AS(old.value(), std::logic_error);
  CHECK_THROWS_AS(add(fresh, old), std::logic_error);
  CHECK_THROWS_AS(add(fresh, other.variable(Shape{2})), std::logic_error);
  CHECK_THROWS_AS(scale(Var<double>(), 2), std::logic_error);
  CHECK_THROWS_WITH(transpose(fresh), ROOTDK_CONTAINS("transpose") && ROOTDK_CONTAINS("(2)"));
}

TEST_CASE("tape: the guard names the op, its label and the range of its inputs", "[tape][guard]") {
  Tape<float> tape;
  const auto x = tape.variable(Shape{2}, "x");
  write(x, {1, 2});
  const auto large = scale(x, 1e30).label("large");
  const auto overflow = tape.apply(Square{}, {large}).label("overflowing");
  CHECK_NOTHROW(tape.replay());
  CHECK_THROWS_WITH(tape.replay(Guard::on),
                    ROOTDK_CONTAINS("square 'overflowing'") && ROOTDK_CONTAINS("scale 'large'") &&
                        ROOTDK_CONTAINS("[1e+30, 2e+30]") && ROOTDK_CONTAINS("forward"));
  CHECK(std::isinf(overflow.value().data[0]));
}

TEST_CASE("tape: the guard finds the backward rule that overflows", "[tape][guard]") {
  Tape<float> tape;
  const auto x = tape.variable(Shape{1}, "x");
  write(x, {1});
  const auto y = scale(scale(x, 1e-30).label("inner"), 1e30).label("outer");
  const float huge = 1e20F;
  CHECK_NOTHROW(tape.replay(Guard::on));
  CHECK_THROWS_AS(tape.backward(y, View<const float>(&huge, Shape{1}), Guard::on), NonFinite);
  CHECK_THROWS_WITH(tape.backward(y, View<const float>(&huge, Shape{1}), Guard::on),
                    ROOTDK_CONTAINS("scale 'outer'") && ROOTDK_CONTAINS("scale 'inner'") &&
                        ROOTDK_CONTAINS("gradient"));
}

TEST_CASE("tape: recording again after a rewind takes no new memory", "[tape]") {
  Tape<double> tape;
  const auto record = [&tape] {
    const auto x = tape.variable(Shape{200, 300});
    softmax_rows(matmul(x, transpose(x)));
  };
  record();
  const std::size_t used = tape.bytes();
  tape.rewind();
  record();
  CHECK(tape.bytes() == used);
}
