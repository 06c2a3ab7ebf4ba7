#include "rootdk/autodiff/shape.hpp"

#include <stdexcept>

namespace rootdk {

Shape::Shape(std::initializer_list<Index> extents) {
  if (extents.size() > static_cast<std::size_t>(max_rank)) {
    throw std::invalid_argument("a shape has at most 4 axes, not " +
                                std::to_string(extents.size()));
  }
  for (const Index extent : extents) extent_[static_cast<std::size_t>(rank_++)] = extent;
  check();
}

void Shape::check() const {
  Index elements = 1;
  bool overflows = false;
  for (const Index extent : extent_) {
    if (extent < 1) {
      throw std::invalid_argument("every extent of a shape is at least 1, not " +
                                  std::to_string(extent));
    }
    overflows = __builtin_mul_overflow(elements, extent, &elements) || overflows;
  }
  if (overflows) throw std::invalid_argument("a shape with more elements than can be counted");
}

Shape Shape::with(int axis, Index extent) const {
  Shape result = *this;
  result.extent_[position(axis)] = extent;
  result.check();
  return result;
}

Index Shape::matrices() const {
  Index count = 1;
  for (int axis = 0; axis < rank_ - 2; ++axis) count *= (*this)[axis];
  return count;
}

bool same_stack(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (int axis = 0; axis < a.rank() - 2; ++axis) {
    if (a[axis] != b[axis]) return false;
  }
  return true;
}

std::string to_string(const Shape& shape) {
  std::string text = "(";
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(shape[axis]);
  }
  return text + ")";
}

}  // namespace rootdk
