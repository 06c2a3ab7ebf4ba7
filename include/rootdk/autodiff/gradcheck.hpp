#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rootdk/autodiff/tape.hpp"

namespace rootdk {

// Holds a backward rule against finite differences of the forward pass, in double precision.
//
// For a random cotangent c, every entry x of every input is moved by -3h ... 3h, the tape is replayed,
// and d<c, y>/dx is read off the six-point stencil
//   f'(x) = (45 (f1 - f-1) - 9 (f2 - f-2) + (f3 - f-3)) / (60 h) + O(h^6)
// (Fornberg, Math. Comp. 51, 1988). The cotangent is random because a plain sum is blind: the rows of a
// softmax sum to one, so under it even an all-zero rule would pass. The comparison is written so that
// NaN fails.
struct GradcheckOptions {
  std::uint64_t seed = 1;  // of the cotangent, and of inputs that are drawn
  double step = 1e-2;      // h, in the units of the input
  double relative = 1e-7;  // passes when |vjp - difference| <= absolute + relative * max(|.|, |.|)
  double absolute = 1e-8;
};

struct GradcheckReport {
  bool ok = true;
  Index entries = 0;  // compared
  std::string log;  // one line for each of the first failures: op, input, entry, values, tolerance
  void fail(const std::string& line);
};

// Any graph on a tape: how `output` depends on `inputs`. They are leaves, or views of leaves; their
// values are put back. Gradients are NaN before the pass that is checked, and the pass is run twice:
// what an op leaves unwritten, or adds to where it should write, shows.
GradcheckReport gradcheck(std::string_view name, Var<double> output,
                          std::span<const Var<double>> inputs,
                          const GradcheckOptions& options = {});

// Writes the value of input number `input`.
using FillInput = std::function<void(std::size_t input, View<double> value)>;
// Standard normal entries.
FillInput normal_inputs(std::uint64_t seed);

// One op on fresh inputs. Beside the differences it checks the rest of the contract: that vjp adds to
// gradients instead of overwriting them, leaves alone inputs that want none, is linear in its
// cotangent, gives zero for a zero cotangent, and the same bits when run twice.
template <Op O>
GradcheckReport gradcheck(const O& op, const std::vector<Shape>& shapes, const FillInput& fill,
                          const GradcheckOptions& options = {});
template <Op O>
GradcheckReport gradcheck(const O& op, const std::vector<Shape>& shapes,
                          const GradcheckOptions& options = {}) {
  return gradcheck(op, shapes, normal_inputs(options.seed), options);
}

// ---- behind the templates ----

// An op without its type, on inputs of its own: what the contract checks need of it.
struct OpUnderTest {
  std::string_view name;
  std::vector<View<const double>> in;
  View<const double> out;
  View<double> saved;
  std::function<void(View<const double> d_out, std::span<const View<double>> d_in)> vjp;
};
void check_contract(const OpUnderTest& op, const GradcheckOptions& options,
                    GradcheckReport& report);

template <Op O>
GradcheckReport gradcheck(const O& op, const std::vector<Shape>& shapes, const FillInput& fill,
                          const GradcheckOptions& options) {
  if (shapes.empty() || shapes.size() > max_inputs) {
    throw std::invalid_argument("gradcheck: an op has 1 to 4 inputs");
  }
  Tape<double> tape;
  std::vector<Var<double>> inputs;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    inputs.push_back(tape.variable(shapes[i]).label("input " + std::to_string(i)));
    fill(i, inputs.back().writable_value());
  }
  const Var<double> output = tape.apply(op, std::span<const Var<double>>(inputs));
  GradcheckReport report = gradcheck(O::name, output, inputs, options);

  OpUnderTest under_test;
  under_test.name = O::name;
  for (const Var<double>& input : inputs) under_test.in.push_back(input.value());
  const View<double> out = tape.template data<double>(output.shape());
  if constexpr (SavesForVjp<O>) {
    under_test.saved = tape.template data<double>(op.saved_shape(shapes));
  }
  op.forward(ForwardArgs<double>{under_test.in, out, under_test.saved});
  under_test.out = out;
  under_test.vjp = [&](View<const double> d_out, std::span<const View<double>> d_in) {
    op.vjp(VjpArgs<double>{under_test.in, under_test.out, under_test.saved, d_out, d_in});
  };
  check_contract(under_test, options, report);
  return report;
}

}  // namespace rootdk
