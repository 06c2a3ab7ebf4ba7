#include "rootdk/autodiff/gradcheck.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>

#include "rootdk/random.hpp"

namespace rootdk {
namespace {

using Buffer = std::vector<double>;

std::string entry_name(const Shape& shape, Index flat) {
  std::string text = "(";
  Index inner = shape.size();  // entries under one index of the axis
  for (int axis = 0; axis < shape.rank(); ++axis) {
    inner /= shape[axis];
    if (axis > 0) text += ", ";
    text += std::to_string(flat / inner);
    flat %= inner;
  }
  return text += ")";
}

// |vjp - other| within tolerance; false for NaN.
bool agree(double vjp, double other, const GradcheckOptions& options) {
  const double scale = std::max(std::abs(vjp), std::abs(other));
  return std::abs(vjp - other) <= options.absolute + options.relative * scale;
}

std::string mismatch(std::string_view name, std::size_t input, const Shape& shape, Index flat,
                     double vjp, std::string_view what, double other,
                     const GradcheckOptions& options) {
  std::ostringstream text;
  text.precision(12);
  text << name << ": input " << input << " " << to_string(shape) << ", entry "
       << entry_name(shape, flat) << ": vjp " << vjp << ", " << what << " " << other << " (step "
       << options.step << ", tolerance " << options.absolute << " + " << options.relative
       << " relative)";
  return text.str();
}

Buffer random_buffer(Index size, std::uint64_t seed, std::string_view purpose) {
  Buffer values(static_cast<std::size_t>(size));
  Stream stream(StreamKey(seed, purpose));
  for (double& value : values) value = stream.normal();
  return values;
}

// d<c, y>/dx for one entry. Differences are taken output by output, so that outputs which do not
// depend on x contribute exactly nothing.
double stencil(Var<double> output, const Buffer& cotangent, double& x, double h) {
  constexpr std::array<std::pair<double, double>, 3> weights{{{1, 45}, {2, -9}, {3, 1}}};
  Tape<double>& tape = output.tape();
  const double kept = x;
  Buffer forward(cotangent.size());
  double sum = 0;
  for (const auto& term : weights) {
    const double multiple = term.first, weight = term.second;
    x = kept + multiple * h;
    tape.replay();
    for_each_entry(output.value(), [&](Index flat, const double& y) {
      forward[static_cast<std::size_t>(flat)] = y;
    });
    x = kept - multiple * h;
    tape.replay();
    for_each_entry(output.value(), [&](Index flat, const double& y) {
      const auto i = static_cast<std::size_t>(flat);
      sum += cotangent[i] * weight * (forward[i] - y);
    });
  }
  x = kept;
  return sum / (60 * h);
}

// Gradients of every input for one cotangent, each added to `start`.
std::vector<Buffer> gradients(const OpUnderTest& op, const Buffer& cotangent, double start,
                              std::size_t unwanted = max_inputs) {
  std::vector<Buffer> result;
  std::vector<View<double>> d_in;
  for (std::size_t i = 0; i < op.in.size(); ++i) {
    result.emplace_back(static_cast<std::size_t>(op.in[i].shape.size()), start);
    d_in.push_back(i == unwanted ? View<double>() : View<double>(result[i].data(), op.in[i].shape));
  }
  op.vjp(View<const double>(cotangent.data(), op.out.shape), d_in);
  return result;
}

Buffer combine(double a, const Buffer& x, double b, const Buffer& y) {
  Buffer result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) result[i] = a * x[i] + b * y[i];
  return result;
}

}  // namespace

void GradcheckReport::fail(const std::string& line) {
  ok = false;
  if (std::count(log.begin(), log.end(), '\n') < 10) log += line + "\n";
}

FillInput normal_inputs(std::uint64_t seed) {
  return [seed](std::size_t input, View<double> value) {
    Stream stream(StreamKey(seed, "gradcheck input", {static_cast<std::int64_t>(input)}));
    for_each_entry(value, [&](Index, double& x) { x = stream.normal(); });
  };
}

GradcheckReport gradcheck(std::string_view name, Var<double> output,
                          std::span<const Var<double>> inputs, const GradcheckOptions& options) {
  Tape<double>& tape = output.tape();
  const Buffer cotangent =
      random_buffer(output.shape().size(), options.seed, "gradcheck cotangent");
  tape.replay();
  const auto backward = [&] {
    tape.backward(output, View<const double>(cotangent.data(), output.shape()));
    std::vector<Buffer> result;
    for (const Var<double>& input : inputs) {
      result.emplace_back();
      for_each_entry(input.grad(), [&](Index, const double& d) { result.back().push_back(d); });
    }
    return result;
  };
  tape.spoil_gradients();
  const std::vector<Buffer> found_by_vjp = backward();
  GradcheckReport report;
  // An op that adds to a gradient it should have written, or leaves a part of it, repeats neither.
  if (backward() != found_by_vjp) {
    report.fail(std::string(name) +
                ": a second backward pass gives other gradients than the first");
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Buffer& vjp = found_by_vjp[i];
    for_each_entry(inputs[i].writable_value(), [&](Index flat, double& x) {
      const double difference = stencil(output, cotangent, x, options.step);
      const double found = vjp[static_cast<std::size_t>(flat)];
      ++report.entries;
      if (!agree(found, difference, options)) {
        report.fail(
            mismatch(name, i, inputs[i].shape(), flat, found, "differences", difference, options));
      }
    });
  }
  tape.replay();
  if (report.entries == 0) report.fail(std::string(name) + ": no entry was compared");
  return report;
}

void check_contract(const OpUnderTest& op, const GradcheckOptions& options,
                    GradcheckReport& report) {
  const Index size = op.out.shape.size();
  const Buffer c = random_buffer(size, options.seed, "gradcheck contract");
  const Buffer e = random_buffer(size, options.seed, "gradcheck linearity");
  const std::vector<Buffer> plain = gradients(op, c, 0);
  const std::vector<Buffer> other = gradients(op, e, 0);
  const auto expect = [&](std::string_view what, const std::vector<Buffer>& found, std::size_t i,
                          const Buffer& wanted) {
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      if (agree(found[i][k], wanted[k], options)) continue;
      report.fail(mismatch(op.name, i, op.in[i].shape, static_cast<Index>(k), found[i][k], what,
                           wanted[k], options));
    }
  };
  const auto on_top = gradients(op, c, 3);
  const auto zero = gradients(op, Buffer(c.size(), 0.0), 0);
  const auto mixed = gradients(op, combine(2, c, -1, e), 0);
  for (std::size_t i = 0; i < op.in.size(); ++i) {
    const Buffer ones(plain[i].size(), 1.0);
    expect("added to a gradient of 3 should give", on_top, i, combine(1, plain[i], 3, ones));
    expect("a zero cotangent should give", zero, i, Buffer(ones.size(), 0.0));
    expect("linearity asks for", mixed, i, combine(2, plain[i], -1, other[i]));
    if (op.in.size() == 1) continue;  // if its only input wants no gradient, vjp is never called
    const auto without = gradients(op, c, 0, i);
    for (std::size_t k = 0; k < op.in.size(); ++k) {
      if (k != i) expect("with another input unwanted it should stay", without, k, plain[k]);
    }
  }
  if (gradients(op, c, 0) != plain) {
    report.fail(std::string(op.name) + ": running vjp twice gives different bits");
  }
}

}  // namespace rootdk
