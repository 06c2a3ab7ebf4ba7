#include "rootdk/probes/slot_mass.hpp"

#include <cmath>
#include <vector>

#include "catch.hpp"
#include "rootdk/random.hpp"

using namespace rootdk;
using probes::Slot;

namespace {

// A matrix with the memory it lives in; row i is filled with `entry(i)`.
template <class T>
struct Matrix {
  std::vector<T> entries;
  View<const T> view;

  template <class Entry>
  Matrix(Index rows, Index cols, Entry&& entry) {
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < cols; ++j) entries.push_back(static_cast<T>(entry(i, j)));
    }
    view = View<const T>(entries.data(), Shape{rows, cols});
  }
};

template <class T>
Matrix<T> normal(Index rows, Index cols, std::uint64_t seed) {
  Stream stream(StreamKey(seed, "test"));
  return Matrix<T>(rows, cols, [&](Index, Index) { return stream.normal(); });
}

}  // namespace

TEMPLATE_TEST_CASE("slot mass: blocks of known size", "[probes]", float, double) {
  // Rows 0, 1 hold 2, rows 2, 3 hold 1, rows 4, 5 hold 0: masses 4/5, 1/5, 0.
  const Matrix<TestType> w(6, 3, [](Index i, Index) { return i < 2 ? 2 : i < 4 ? 1 : 0; });
  CHECK(probes::slot_mass(w.view, Slot{0, 2}) == 0.8);
  CHECK(probes::slot_mass(w.view, Slot{2, 2}) == 0.2);
  CHECK(probes::slot_mass(w.view, Slot{4, 2}) == 0);
  CHECK(probes::slot_mass(w.view, Slot{0, 6}) == 1);
}

TEST_CASE("slot mass: slots add up to one, and scale does not matter", "[probes]") {
  const auto w = normal<double>(9, 5, 1);
  double sum = 0;
  for (const Index first : {0, 3, 6}) sum += probes::slot_mass(w.view, Slot{first, 3});
  CHECK(sum == Approx(1).epsilon(1e-15));
  const Matrix<double> larger(9, 5, [&](Index i, Index j) { return 0x1p60 * w.view(i, j); });
  CHECK(probes::slot_mass(larger.view, Slot{0, 3}) == probes::slot_mass(w.view, Slot{0, 3}));
  const auto wide = normal<float>(96, 1024, 2);
  CHECK(probes::slot_mass(wide.view, Slot{0, 32}) == Approx(1.0 / 3).epsilon(0.02));
}

TEST_CASE("slot mass: works on strided views", "[probes]") {
  const auto w = normal<double>(4, 6, 3);
  const View<const double> window = w.view.slice(1, 2, 3);
  double inside = 0, all = 0;
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 2; j < 5; ++j) {
      const double square = w.view(i, j) * w.view(i, j);
      all += square;
      inside += i == 1 ? square : 0;
    }
  }
  CHECK(probes::slot_mass(window, Slot{1, 1}) == Approx(inside / all).epsilon(1e-14));
  CHECK(probes::slot_mass(w.view.transposed(), Slot{0, 6}) == Approx(1));
}

TEST_CASE("block mass: matrices that read one slot each make one block", "[probes]") {
  // A reads rows 0, 1 and B rows 2, 3: all of A B^T is in block (0-1, 2-3).
  const Matrix<double> a(6, 2, [](Index i, Index) { return i < 2 ? 1 + i : 0; });
  const Matrix<double> b(6, 2, [](Index i, Index) { return i == 2 || i == 3 ? 2 : 0; });
  CHECK(probes::product_block_mass(a.view, b.view, Slot{0, 2}, Slot{2, 2}) == 1);
  CHECK(probes::product_block_mass(a.view, b.view, Slot{2, 2}, Slot{0, 2}) == 0);
}

TEST_CASE("block mass: what only one of the two reads weighs nothing", "[probes]") {
  // Column 0 is shared; column 1 of A, reading rows 4, 5, meets a column of zeros in B.
  const Matrix<double> a(6, 2, [](Index i, Index j) { return j == 0 ? i < 2 : i >= 4 ? 50 : 0; });
  const Matrix<double> b(6, 2, [](Index i, Index j) { return j == 0 && (i == 2 || i == 3); });
  CHECK(probes::product_block_mass(a.view, b.view, Slot{0, 2}, Slot{2, 2}) == 1);
  CHECK(probes::slot_mass(a.view, Slot{0, 2}) < 0.001);
}

TEST_CASE("block mass: against the product itself, and blocks add up to one", "[probes]") {
  const auto a = normal<double>(6, 4, 4), b = normal<double>(6, 4, 5);
  double all = 0, inside = 0, sum = 0;
  for (Index i = 0; i < 6; ++i) {
    for (Index j = 0; j < 6; ++j) {
      double m = 0;
      for (Index c = 0; c < 4; ++c) m += a.view(i, c) * b.view(j, c);
      all += m * m;
      inside += i < 2 && j >= 4 ? m * m : 0;
    }
  }
  CHECK(probes::product_block_mass(a.view, b.view, Slot{0, 2}, Slot{4, 2}) ==
        Approx(inside / all).epsilon(1e-13));
  for (const Index i : {0, 2, 4}) {
    for (const Index j : {0, 2, 4}) {
      sum += probes::product_block_mass(a.view, b.view, Slot{i, 2}, Slot{j, 2});
    }
  }
  CHECK(sum == Approx(1).epsilon(1e-14));
}

TEST_CASE("slot mass: a zero matrix has none, and wrong slots are refused", "[probes]") {
  const Matrix<double> zero(3, 2, [](Index, Index) { return 0; });
  CHECK(std::isnan(probes::slot_mass(zero.view, Slot{0, 1})));
  CHECK(std::isnan(probes::product_block_mass(zero.view, zero.view, Slot{0, 1}, Slot{1, 1})));
  CHECK_THROWS_AS(probes::slot_mass(zero.view, Slot{2, 2}), std::invalid_argument);
  CHECK_THROWS_AS(probes::slot_mass(zero.view, Slot{-1, 2}), std::invalid_argument);
  CHECK_THROWS_AS(probes::slot_mass(zero.view, Slot{0, 0}), std::invalid_argument);
  const Matrix<double> other(3, 1, [](Index, Index) { return 1; });
  CHECK_THROWS_WITH(probes::product_block_mass(zero.view, other.view, Slot{0, 1}, Slot{0, 1}),
                    ROOTDK_CONTAINS("(3, 2) and (3, 1)"));
}
