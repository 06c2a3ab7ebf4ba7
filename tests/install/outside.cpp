// An op of one's own, its gradient checked, and something trained with it.
#include <cmath>
#include <iostream>

#include "rootdk/autodiff/gradcheck.hpp"
#include "rootdk/ops/mean_squared_error.hpp"
#include "rootdk/optim/sgd.hpp"

using namespace rootdk;

// Forward  y = x^2
// VJP      dx += 2 x dy
struct Square {
  static constexpr std::string_view name = "square";
  Shape output_shape(std::span<const Shape> in) const { return in[0]; }
  template <class T>
  void forward(const ForwardArgs<T>& args) const {
    for (Index i = 0; i < args.out.shape.size(); ++i) {
      args.out.data[i] = args.in[0].data[i] * args.in[0].data[i];
    }
  }
  template <class T>
  void vjp(const VjpArgs<T>& args) const {
    for (Index i = 0; i < args.out.shape.size(); ++i) {
      args.d_in[0].data[i] += 2 * args.in[0].data[i] * args.d_out.data[i];
    }
  }
};

int main() {
  const GradcheckReport report = gradcheck(Square{}, {Shape{2, 3}});
  if (!report.ok) return std::cerr << report.log, 1;

  Parameter<double> root("root", Shape{1});
  root.value().data[0] = 1;
  Tape<double> tape;
  const auto two = tape.constant(Shape{1});
  two.writable_value().data[0] = 2;
  const auto loss = mean_squared_error(tape.apply(Square{}, {tape.parameter(root)}), two);
  Parameter<double>* parameters[] = {&root};
  Sgd<double> sgd(parameters, {.lr = 0.1});
  for (int step = 0; step < 100; ++step) {
    tape.replay();
    tape.backward(loss);
    sgd.step();
  }
  std::cout << root.value().data[0] << "\n";
  return std::abs(root.value().data[0] - std::sqrt(2.0)) < 1e-12 ? 0 : 1;
}
