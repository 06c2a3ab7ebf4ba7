#include "rootdk/probes/slot_mass.hpp"

#include <stdexcept>

namespace rootdk::probes {
namespace {

bool lies_in(Slot slot, Index i) { return i >= slot.first && i < slot.first + slot.count; }

void check(const Shape& shape, Slot slot) {
  if (shape.rank() != 2) {
    throw std::invalid_argument("slot mass: takes a matrix, not " + to_string(shape));
  }
  if (slot.first < 0 || slot.count < 1 || slot.first + slot.count > shape[0]) {
    throw std::invalid_argument("slot mass: entries " + std::to_string(slot.first) + " to " +
                                std::to_string(slot.first + slot.count - 1) +
                                " lie outside of the rows of " + to_string(shape));
  }
}

// <row i of a, row j of b>, in double.
template <class T>
double row_product(const View<const T>& a, Index i, const View<const T>& b, Index j) {
  double sum = 0;
  for (Index c = 0; c < a.shape[1]; ++c) {
    sum += static_cast<double>(a(i, c)) * static_cast<double>(b(j, c));
  }
  return sum;
}

}  // namespace

template <class T>
double slot_mass(View<const T> w, Slot slot) {
  check(w.shape, slot);
  double all = 0, inside = 0;
  for (Index i = 0; i < w.shape[0]; ++i) {
    const double square = row_product(w, i, w, i);
    all += square;
    if (lies_in(slot, i)) inside += square;
  }
  return inside / all;
}
template double slot_mass(View<const float>, Slot);
template double slot_mass(View<const double>, Slot);

template <class T>
double product_block_mass(View<const T> a, View<const T> b, Slot rows, Slot columns) {
  check(a.shape, rows);
  check(b.shape, columns);
  if (!(a.shape == b.shape)) {
    throw std::invalid_argument("block mass: " + to_string(a.shape) + " and " +
                                to_string(b.shape) + " must have the same shape");
  }
  double all = 0, inside = 0;
  for (Index i = 0; i < a.shape[0]; ++i) {
    for (Index j = 0; j < b.shape[0]; ++j) {
      const double entry = row_product(a, i, b, j);
      all += entry * entry;
      if (lies_in(rows, i) && lies_in(columns, j)) inside += entry * entry;
    }
  }
  return inside / all;
}
template double product_block_mass(View<const float>, View<const float>, Slot, Slot);
template double product_block_mass(View<const double>, View<const double>, Slot, Slot);

}  // namespace rootdk::probes
