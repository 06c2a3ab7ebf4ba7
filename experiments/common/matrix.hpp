#pragma once
#include <vector>

#include "rootdk/autodiff/view.hpp"

namespace rootdk {

// A matrix that owns its entries, in row-major order.
struct Matrix {
  Index rows = 0;
  Index cols = 0;
  std::vector<double> entries{};

  double operator()(Index i, Index j) const { return entries[position(i, j)]; }
  double& operator()(Index i, Index j) { return entries[position(i, j)]; }
  View<const double> view() const { return {entries.data(), Shape{rows, cols}}; }

 private:
  std::size_t position(Index i, Index j) const { return static_cast<std::size_t>(i * cols + j); }
};

inline Matrix matrix_of_zeros(Index rows, Index cols) {
  return {rows, cols, std::vector<double>(static_cast<std::size_t>(rows * cols))};
}

}  // namespace rootdk
