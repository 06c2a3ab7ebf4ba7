#pragma once
// A graph to be run under a clock, again and again.
#include <cstdint>
#include <string_view>

#include "rootdk/autodiff/tape.hpp"
#include "rootdk/random.hpp"

namespace rootdk {

// A tape with one output. Inputs come from N(0, 1). Only a graph that goes back has gradients; that of
// its output, from N(0, 1) too, comes from outside.
template <class T>
class TimedGraph {
 public:
  TimedGraph(bool goes_back, std::uint64_t seed) : goes_back_(goes_back), seed_(seed) {}

  Var<T> input(const Shape& shape, std::string_view name) {
    const Var<T> var = goes_back_ ? tape_.variable(shape, name) : tape_.constant(shape, name);
    fill(var.writable_value(), name);
    return var;
  }
  Var<T> weights(Parameter<T>& w) { return goes_back_ ? tape_.parameter(w) : tape_.frozen(w); }
  void ends_in(Var<T> output) {
    output_ = output;
    if (!goes_back_) return;
    gradient_ = gradient_memory_.tensor<T>(output.shape());
    fill(gradient_, "gradient");
  }

  void forward() { tape_.replay(); }
  void backward() { tape_.backward(output_, gradient_); }
  bool goes_back() const { return goes_back_; }

  std::size_t tape_bytes() const { return tape_.bytes(); }
  std::size_t gradient_bytes() const { return gradient_memory_.used(); }

 private:
  void fill(const View<T>& view, std::string_view name) {
    Stream stream(StreamKey(seed_, name, {view.shape.rows(), view.shape.cols()}));
    fill_normal(stream, view.entries());
  }

  bool goes_back_;
  std::uint64_t seed_;
  Tape<T> tape_;
  Var<T> output_;
  Arena gradient_memory_;  // not the tape's: in a network it is the next layer's
  View<T> gradient_;
};

}  // namespace rootdk
