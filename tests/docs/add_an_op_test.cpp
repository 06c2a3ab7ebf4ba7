// softcap_test.cpp
#include "catch.hpp"
#include "rootdk/autodiff/gradcheck.hpp"

namespace {
using namespace rootdk;

// Forward  y = c tanh(x / c): scores stay between -c and c (Gemma 2 caps its attention scores so)
// Shapes   x, y: any, the same
// Saved    nothing: the backward rule reads y
// VJP      dy/dx = 1 - tanh(x / c)^2 = 1 - (y / c)^2        =>  dx += dy (1 - (y / c)^2)
struct Softcap {
  double c = 50;

  static constexpr std::string_view name = "softcap";
  Shape output_shape(std::span<const Shape> in) const {
    expect_inputs(name, in, 1);
    return in[0];
  }
  template <class T>
  void forward(const ForwardArgs<T>& args) const {
    expect_contiguous_rows(name, "x", args.in[0]);
    for (Index r = 0; r < args.out.shape.rows(); ++r) {
      for (Index j = 0; j < args.out.shape.cols(); ++j) {
        args.out.row(r)[j] = static_cast<T>(c * std::tanh(args.in[0].row(r)[j] / c));
      }
    }
  }
  template <class T>
  void vjp(const VjpArgs<T>& args) const {
    for (Index r = 0; r < args.out.shape.rows(); ++r) {
      for (Index j = 0; j < args.out.shape.cols(); ++j) {
        const T t = args.out.row(r)[j] / static_cast<T>(c);
        args.d_in[0].row(r)[j] += args.d_out.row(r)[j] * (1 - t * t);  // dx += dy (1 - (y / c)^2)
      }
    }
  }
};
static_assert(Op<Softcap>);

TEST_CASE("softcap: vjp matches finite differences", "[op][gradcheck]") {
  const GradcheckReport report = gradcheck(Softcap{2}, {Shape{3, 5}});
  INFO(report.log);
  CHECK(report.ok);
}
}  // namespace
