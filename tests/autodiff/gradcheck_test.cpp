// The checker has teeth: wrong backward rules are rejected, and the message says where.
#include "rootdk/autodiff/gradcheck.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "rootdk/ops/add.hpp"
#include "rootdk/ops/matmul.hpp"
#include "rootdk/ops/mean_squared_error.hpp"
#include "rootdk/ops/scale.hpp"
#include "rootdk/ops/softmax_rows.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

namespace {

// A right forward pass with a wrong backward rule, in the op's own shapes.
template <class Right, class Self>
struct Wrong : Right {
  template <class T>
  void vjp(const VjpArgs<T>& args) const {
    static_cast<const Self*>(this)->wrong(args);
  }
};

struct AllZeros : Wrong<SoftmaxRows, AllZeros> {
  template <class T>
  void wrong(const VjpArgs<T>&) const {}
};

struct MissingDotTerm : Wrong<SoftmaxRows, MissingDotTerm> {
  template <class T>
  void wrong(const VjpArgs<T>& args) const {
    for (Index i = 0; i < args.out.shape.size(); ++i) {
      args.d_in[0].data[i] += args.out.data[i] * args.d_out.data[i];  // without p <p, dp>
    }
  }
};

struct MissingFactor : Wrong<Scale, MissingFactor> {
  template <class T>
  void wrong(const VjpArgs<T>& args) const {
    for (Index i = 0; i < args.out.shape.size(); ++i) args.d_in[0].data[i] += args.d_out.data[i];
  }
};

struct Transposed : Wrong<Matmul, Transposed> {
  template <class T>
  void wrong(const VjpArgs<T>& args) const {  // dA += dC B, without the transposition
    if (args.d_in[0]) gemm<T>(backend, T(1), args.d_out, args.in[1], T(1), args.d_in[0]);
    if (args.d_in[1])
      gemm<T>(backend, T(1), args.in[0].transposed(), args.d_out, T(1), args.d_in[1]);
  }
};

struct Overwrites : Wrong<Scale, Overwrites> {
  template <class T>
  void wrong(const VjpArgs<T>& args) const {
    for (Index i = 0; i < args.out.shape.size(); ++i) {
      args.d_in[0].data[i] = static_cast<T>(factor) * args.d_out.data[i];  // = where += is due
    }
  }
};

struct NotANumber : Wrong<Scale, NotANumber> {
  template <class T>
  void wrong(const VjpArgs<T>& args) const {
    args.d_in[0].data[0] = std::numeric_limits<T>::quiet_NaN();
  }
};

// Both declare, as softmax_rows does, that they write fresh gradients.
struct AddsToNothing : Wrong<SoftmaxRows, AddsToNothing> {
  template <class T>
  void wrong(const VjpArgs<T>& args) const {
    VjpArgs<T> as_if_not_fresh = args;
    as_if_not_fresh.fresh = {};
    SoftmaxRows{}.vjp(as_if_not_fresh);
  }
};
struct LeavesAPart : Wrong<SoftmaxRows, LeavesAPart> {
  template <class T>
  void wrong(const VjpArgs<T>& args) const {
    const T kept = args.d_in[0].data[1];
    SoftmaxRows{}.vjp(args);
    if (args.fresh[0]) args.d_in[0].data[1] = kept;
  }
};

template <class O>
std::string complaint(const O& op, const std::vector<Shape>& shapes) {
  const GradcheckReport report = gradcheck(op, shapes);
  CHECK_FALSE(report.ok);
  return report.log;
}

}  // namespace

TEST_CASE("gradcheck: rejects four wrong backward rules", "[gradcheck][teeth]") {
  CHECK_THAT(complaint(AllZeros{}, {Shape{3, 5}}), ROOTDK_CONTAINS("softmax_rows: input 0 (3, 5)"));
  CHECK_THAT(complaint(MissingDotTerm{}, {Shape{3, 5}}), ROOTDK_CONTAINS("entry (0, 0)"));
  CHECK_THAT(complaint(MissingFactor{{{0.25}}}, {Shape{2, 2}}), ROOTDK_CONTAINS("scale: input 0"));
  CHECK_THAT(complaint(Transposed{}, {Shape{4, 4}, Shape{4, 4}}),
             ROOTDK_CONTAINS("matmul: input 0 (4, 4)") && !ROOTDK_CONTAINS("input 1"));
}

TEST_CASE("gradcheck: rejects a rule that overwrites instead of adding", "[gradcheck][teeth]") {
  CHECK_THAT(complaint(Overwrites{{{0.25}}}, {Shape{2, 2}}),
             ROOTDK_CONTAINS("added to a gradient of 3"));
}

TEST_CASE("gradcheck: rejects a rule that promises to write fresh gradients and does not",
          "[gradcheck][teeth]") {
  CHECK_THAT(complaint(AddsToNothing{}, {Shape{3, 5}}), ROOTDK_CONTAINS("a second backward pass"));
  CHECK_THAT(complaint(LeavesAPart{}, {Shape{3, 5}}), ROOTDK_CONTAINS("entry (0, 1)"));
}

TEST_CASE("gradcheck: NaN does not pass", "[gradcheck][teeth]") {
  CHECK_THAT(complaint(NotANumber{}, {Shape{2, 2}}), ROOTDK_CONTAINS("vjp nan"));
}

TEST_CASE("gradcheck: its text gives op, input, entry, both values, step and tolerance",
          "[gradcheck]") {
  const std::string log = complaint(MissingFactor{{{0.5}}}, {Shape{2, 3}});
  for (const char* part : {"scale", "input 0", "(2, 3)", "entry (0, 1)", "vjp ", "differences ",
                           "step 0.01", "tolerance 1e-08 + 1e-07"}) {
    CHECK_THAT(log, ROOTDK_CONTAINS(part));
  }
}

TEST_CASE("gradcheck: a sum as cotangent would let the all-zero softmax rule pass",
          "[gradcheck][teeth]") {
  // Why the cotangent is random: under ones the true gradient of softmax is zero.
  Tape<double> tape;
  const auto z = normal(tape, Shape{3, 5}, 1);
  const auto p = softmax_rows(z);
  const std::vector<double> ones(15, 1.0);
  tape.backward(p, View<const double>(ones.data(), Shape{3, 5}));
  for (const double d : values(z.grad())) CHECK(std::abs(d) < 1e-15);
}

TEST_CASE("gradcheck: aliased inputs get the sum of both gradients", "[gradcheck]") {
  Tape<double> tape;
  const auto x = normal(tape, Shape{4, 4}, 1);
  const auto check = [&](const char* name, Var<double> output) {
    const GradcheckReport report = gradcheck(name, output, std::array{x});
    INFO(report.log);
    CHECK(report.ok);
  };
  check("x x^T", matmul(x, transpose(x)));
  check("x x", matmul(x, x));
  check("x + x", add(x, x));
  check("softmax(x) x", matmul(softmax_rows(x), x));
  check("(x - x^2)^2", mean_squared_error(x, matmul(x, x)));
}

TEST_CASE("gradcheck: puts the inputs back", "[gradcheck]") {
  Tape<double> tape;
  const auto x = normal(tape, Shape{2, 2}, 1);
  const auto y = scale(x, 2);
  const auto before = values(x.value());
  gradcheck("scale", y, std::array{x});
  CHECK(values(x.value()) == before);
  CHECK(y.value().data[0] == 2 * before[0]);
}
