#pragma once
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>

#include "rootdk/autodiff/shape.hpp"

namespace rootdk {

// A strided window on somebody else's memory: where it starts, its shape, and how many elements to
// step for each axis. Copying a view copies no element. Transposing, slicing and splitting heads are
// new views on the same memory. A default-constructed view points nowhere (data == nullptr).
template <class T>
struct View {
  T* data = nullptr;
  Shape shape;
  std::array<Index, Shape::max_rank> stride{};

  View() = default;
  // Row-major and without gaps.
  View(T* first, const Shape& extents) : data(first), shape(extents) {
    Index step = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      stride[static_cast<std::size_t>(axis)] = step;
      step *= shape[axis];
    }
  }
  // A view of mutable elements reads as a view of constant ones.
  operator View<const T>() const requires(!std::is_const_v<T>) {
    View<const T> view;
    view.data = data;
    view.shape = shape;
    view.stride = stride;
    return view;
  }

  explicit operator bool() const { return data != nullptr; }
  int rank() const { return shape.rank(); }
  Index step(int axis) const {
    return stride[static_cast<std::size_t>(axis < 0 ? shape.rank() + axis : axis)];
  }
  bool has_contiguous_rows() const { return rank() == 0 || step(-1) == 1 || shape[-1] == 1; }
  bool is_contiguous() const {
    Index expected = 1;
    for (int axis = rank() - 1; axis >= 0; --axis) {
      if (shape[axis] != 1 && step(axis) != expected) return false;
      expected *= shape[axis];
    }
    return true;
  }

  // Elements by position; as many indices as axes. Unchecked, like an array.
  template <class... I>
  T& operator()(I... index) const {
    const std::array<Index, sizeof...(I)> position{static_cast<Index>(index)...};
    Index offset = 0;
    for (std::size_t axis = 0; axis < position.size(); ++axis)
      offset += position[axis] * stride[axis];
    return data[offset];
  }

  // All elements of a contiguous view, one after the other.
  std::span<T> entries() const { return {data, static_cast<std::size_t>(shape.size())}; }

  // First element of row r, counted over all axes but the last.
  T* row(Index r) const {
    Index offset = 0;
    for (int axis = rank() - 2; axis >= 0; --axis) {
      offset += (r % shape[axis]) * step(axis);
      r /= shape[axis];
    }
    return data + offset;
  }
  // Matrix b of the stack over the last two axes, as a view of rank 2.
  View matrix(Index b) const {
    View result;
    result.shape = Shape{shape[-2], shape[-1]};
    result.stride[0] = step(-2);
    result.stride[1] = step(-1);
    Index offset = 0;
    for (int axis = rank() - 3; axis >= 0; --axis) {
      offset += (b % shape[axis]) * step(axis);
      b /= shape[axis];
    }
    result.data = data + offset;
    return result;
  }
  // The last two axes exchanged.
  View transposed() const {
    View result = *this;
    const auto last = static_cast<std::size_t>(rank() - 1);
    result.shape = shape.transposed();
    result.stride[last - 1] = stride[last];
    result.stride[last] = stride[last - 1];
    return result;
  }
  // `count` entries of one axis from `begin` on.
  View slice(int axis, Index begin, Index count) const {
    View result = *this;
    result.data = data + begin * step(axis);
    result.shape = shape.with(axis, count);
    return result;
  }
};

// Visits every element of a view in row-major order: visit(number, element).
template <class T, class Visit>
void for_each_entry(const View<T>& view, Visit&& visit) {
  const Index columns = view.shape.cols(), step = view.rank() == 0 ? 1 : view.step(-1);
  for (Index r = 0; r < view.shape.rows(); ++r) {
    T* row = view.row(r);
    for (Index c = 0; c < columns; ++c) visit(r * columns + c, row[c * step]);
  }
}

// All rows of a view, counted over its leading axes. Where they lie evenly spaced, which is almost
// always, finding one takes a multiplication and not a division for each axis.
template <class T>
class Rows {
 public:
  explicit Rows(const View<T>& view) : view_(view), pitch_(view.rank() < 2 ? 0 : view.step(-2)) {
    for (int axis = view.rank() - 3; axis >= 0; --axis) {
      even_ = even_ && (view.shape[axis] == 1 ||
                        view.step(axis) == view.step(axis + 1) * view.shape[axis + 1]);
    }
  }
  T* operator[](Index r) const { return even_ ? view_.data + r * pitch_ : view_.row(r); }

 private:
  View<T> view_;
  Index pitch_;
  bool even_ = true;
};

}  // namespace rootdk
