#pragma once
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <utility>

namespace rootdk {

using Index = std::ptrdiff_t;

// The extents of a tensor of rank 0 (a scalar) to 4. Every extent is at least 1.
class Shape {
 public:
  static constexpr int max_rank = 4;

  Shape() = default;
  // Throws std::invalid_argument when the rank exceeds 4, an extent is below 1, or there would be
  // more elements than can be counted.
  Shape(std::initializer_list<Index> extents);

  int rank() const { return rank_; }
  // Extent of an axis; a negative axis counts from the end, as in numpy.
  Index operator[](int axis) const { return extent_[position(axis)]; }
  // The same but for one axis. Throws as the constructor does.
  Shape with(int axis, Index extent) const;
  // The last two axes exchanged, of at least two.
  Shape transposed() const {
    Shape result = *this;
    std::swap(result.extent_[position(-2)], result.extent_[position(-1)]);
    return result;
  }

  Index size() const { return extent_[0] * extent_[1] * extent_[2] * extent_[3]; }
  // Read as rows of the last axis: cols() is its extent (1 for a scalar), rows() all the rest.
  Index cols() const { return rank_ == 0 ? 1 : extent_[static_cast<std::size_t>(rank_ - 1)]; }
  Index rows() const { return size() / cols(); }
  // Read as a stack of matrices over the last two axes: the number of matrices.
  Index matrices() const;

  bool operator==(const Shape&) const = default;

 private:
  void check() const;
  std::size_t position(int axis) const {
    return static_cast<std::size_t>(axis < 0 ? rank_ + axis : axis);
  }
  std::array<Index, max_rank> extent_{1, 1, 1, 1};
  int rank_ = 0;
};

// Whether two stacks of matrices agree in all axes but the last two.
bool same_stack(const Shape& a, const Shape& b);

// "(8, 64, 96)"; "()" for a scalar.
std::string to_string(const Shape& shape);

}  // namespace rootdk
