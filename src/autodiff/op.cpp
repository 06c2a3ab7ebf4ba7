#include "rootdk/autodiff/op.hpp"

#include <stdexcept>

namespace rootdk {

void shape_error(std::string_view op, const std::string& complaint, std::span<const Shape> inputs) {
  std::string text = std::string(op) + ": " + complaint + ", inputs";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    text += (i == 0 ? " " : " and ") + to_string(inputs[i]);
  }
  throw std::invalid_argument(text);
}

void expect_inputs(std::string_view op, std::span<const Shape> inputs, std::size_t count) {
  if (inputs.size() != count) {
    shape_error(op, "takes " + std::to_string(count) + " inputs", inputs);
  }
}

void layout_error(std::string_view op, std::string_view operand, const Shape& shape) {
  throw std::invalid_argument(std::string(op) + ": the rows of " + std::string(operand) + " " +
                              to_string(shape) +
                              " do not lie contiguously; copy the view into a tensor first");
}

}  // namespace rootdk
