#include "rootdk/gemm/gemm.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "rootdk/random.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

namespace {

template <class T>
struct Matrix {
  std::vector<T> storage;
  View<T> view;
  // An m x n matrix in rows `padding` longer than needed, stored transposed or not.
  Matrix(Index m, Index n, bool transposed, Index padding, std::uint64_t seed) {
    const Index rows = transposed ? n : m, cols = transposed ? m : n;
    storage.resize(static_cast<std::size_t>(rows * (cols + padding)));
    Stream stream(StreamKey(seed, "gemm test"));
    for (T& x : storage) x = static_cast<T>(stream.normal());
    view = View<T>(storage.data(), Shape{rows, cols + padding}).slice(1, 0, cols);
    if (transposed) view = view.transposed();
  }
};

}  // namespace

TEMPLATE_TEST_CASE("gemm: every backend is the definition, for every layout of the operands",
                   "[gemm]", float, double) {
  using T = TestType;
  const auto backend = GENERATE(GemmBackend::tile, GemmBackend::cblas, GemmBackend::reference);
  const auto [m, n, k] = GENERATE(table<Index, Index, Index>({{1, 1, 1},
                                                              {3, 5, 7},
                                                              {1, 9, 4},
                                                              {9, 1, 4},
                                                              {4, 4, 1},
                                                              {17, 33, 65},
                                                              {16, 16, 300},
                                                              {40, 77, 31}}));
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true), tc = GENERATE(false, true);
  const Index padding = GENERATE(0, 3);
  const auto [alpha, beta] = GENERATE(table<double, double>({{1, 0}, {-0.5, 1}, {2, -0.25}}));
  const Matrix<T> a(m, k, ta, padding, 1), b(k, n, tb, padding, 2);
  Matrix<T> c(m, n, tc, padding, 3);
  const std::vector<T> before = c.storage;
  std::vector<long double> wanted;
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      long double sum = 0;
      for (Index l = 0; l < k; ++l) sum += static_cast<long double>(a.view(i, l)) * b.view(l, j);
      wanted.push_back(alpha * sum + beta * static_cast<long double>(c.view(i, j)));
    }
  }
  gemm<T>(backend, static_cast<T>(alpha), a.view, b.view, static_cast<T>(beta), c.view);
  const std::vector<T> found = values(c.view);
  const double tolerance = 4 * std::numeric_limits<T>::epsilon() * static_cast<double>(k + 2);
  double worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(found[i] - wanted[i])));
  }
  CHECK(worst <= 10 * tolerance);
  // Nothing beside the matrix is written.
  if (!tc && padding > 0) {
    for (Index i = 0; i < m; ++i) {
      const auto beside = static_cast<std::size_t>(i * (n + padding) + n);
      CHECK(c.storage[beside] == before[beside]);
    }
  }
}

TEMPLATE_TEST_CASE("gemm: beta = 0 overwrites even NaN", "[gemm]", float, double) {
  const auto backend = GENERATE(GemmBackend::tile, GemmBackend::cblas, GemmBackend::reference);
  const std::vector<TestType> one{1};
  std::vector<TestType> c{std::numeric_limits<TestType>::quiet_NaN()};
  gemm<TestType>(backend, 1, View<const TestType>(one.data(), Shape{1, 1}),
                 View<const TestType>(one.data(), Shape{1, 1}), 0,
                 View<TestType>(c.data(), Shape{1, 1}));
  CHECK(c[0] == 1);
}

TEMPLATE_TEST_CASE("gemm: where an entry lies plays no part in its bits", "[gemm]", float, double) {
  // Equal rows of A and equal columns of B: all entries of the product are one number. Where softmax is
  // one-hot, differences of such entries are gradients that are exactly 0.
  using T = TestType;
  const auto backend = GENERATE(GemmBackend::tile, GemmBackend::reference);
  const Index m = GENERATE(1, 3, 6, 16, 37), n = GENERATE(1, 5, 8, 17, 40, 75);
  const Index k = GENERATE(3, 64, 300);
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  const auto [alpha, beta] = GENERATE(table<double, double>({{1, 0}, {0.37, 1}, {0.37, -0.7}}));
  const Matrix<T> a(m, k, ta, 0, 1), b(k, n, tb, 0, 2);
  Matrix<T> c(m, n, false, 0, 3);
  for (Index l = 0; l < k; ++l) {
    for (Index i = 1; i < m; ++i) a.view(i, l) = a.view(0, l);
    for (Index j = 1; j < n; ++j) b.view(l, j) = b.view(l, 0);
  }
  std::fill(c.storage.begin(), c.storage.end(), T(0.3));
  gemm<T>(backend, static_cast<T>(alpha), a.view, b.view, static_cast<T>(beta), c.view);
  CHECK(c.storage == std::vector<T>(c.storage.size(), c.storage[0]));
}

TEMPLATE_TEST_CASE("gemm: nor does it in the sign of a zero", "[gemm]", float, double) {
  using T = TestType;
  const auto backend = GENERATE(GemmBackend::tile, GemmBackend::reference);
  const Index n = GENERATE(1, 5, 8, 17, 40, 75);
  const bool tb = GENERATE(false, true);
  const std::vector<T> zeros(3, T(0));
  Matrix<T> b(3, n, tb, 0, 2), c(1, n, false, 0, 3);
  for (T& entry : b.storage) entry = std::fabs(entry);
  gemm<T>(backend, T(-1), View<const T>(zeros.data(), Shape{1, 3}), b.view, T(0), c.view);
  for (const T entry : c.storage) CHECK(std::signbit(entry) == std::signbit(c.storage[0]));
}

// More than one block in every direction, rows of a stored A^T more than a page apart, and panels that are
// not full. Of small integers every sum is exact, in whatever order it is formed.
TEMPLATE_TEST_CASE("gemm: products of many blocks, to the bit where all sums are exact", "[gemm]",
                   float, double) {
  using T = TestType;
  const auto [m, n, k] = GENERATE(table<Index, Index, Index>(
      {{210, 300, 520}, {1030, 150, 20}, {1025, 8, 257}, {97, 65, 256}}));
  const bool ta = GENERATE(false, true), tb = GENERATE(false, true);
  const auto [alpha, beta] = GENERATE(table<double, double>({{1, 0}, {2, -1}}));
  Matrix<T> a(m, k, ta, 3, 1), b(k, n, tb, 3, 2), c(m, n, false, 3, 3);
  for (Matrix<T>* x : {&a, &b, &c}) {
    for (T& entry : x->storage) entry = std::round(entry);
  }
  Matrix<T> wanted = c;
  wanted.view.data = wanted.storage.data();
  const auto multiply = [&](GemmBackend backend, const View<T>& to) {
    gemm<T>(backend, static_cast<T>(alpha), a.view, b.view, static_cast<T>(beta), to);
  };
  multiply(GemmBackend::reference, wanted.view);
  multiply(GemmBackend::tile, c.view);
  CHECK(c.storage == wanted.storage);
}

TEST_CASE("gemm: the bits of the reference do not depend on the layout", "[gemm]") {
  const Index m = 13, n = 17, k = 19;
  const Matrix<float> a(m, k, false, 0, 1), b(k, n, false, 0, 2);
  std::vector<float> ta(a.storage.size()), tb(b.storage.size());
  const View<float> at = View<float>(ta.data(), Shape{k, m}).transposed();
  const View<float> bt = View<float>(tb.data(), Shape{n, k}).transposed();
  for (Index i = 0; i < m; ++i) {
    for (Index l = 0; l < k; ++l) at(i, l) = a.view(i, l);
  }
  for (Index l = 0; l < k; ++l) {
    for (Index j = 0; j < n; ++j) bt(l, j) = b.view(l, j);
  }
  Matrix<float> c(m, n, false, 0, 3), d(m, n, false, 0, 3);
  gemm<float>(GemmBackend::reference, 1, a.view, b.view, 0, c.view);
  gemm<float>(GemmBackend::reference, 1, at, bt, 0, d.view);
  CHECK(c.storage == d.storage);
}

TEST_CASE("gemm: shapes that do not fit, and views BLAS cannot read, are refused", "[gemm]") {
  std::vector<double> memory(64);
  const View<double> a(memory.data(), Shape{2, 3}), b(memory.data() + 8, Shape{4, 2}),
      c(memory.data() + 20, Shape{2, 2});
  CHECK_THROWS_WITH(gemm<double>(GemmBackend::cblas, 1, a, b, 0, c),
                    ROOTDK_CONTAINS("(2, 3) times (4, 2)"));
  View<double> spread(memory.data(), Shape{2, 2});
  spread.stride = {8, 2, 0, 0};
  CHECK_THROWS_WITH(gemm<double>(GemmBackend::cblas, 1, spread, c, 0, c),
                    ROOTDK_CONTAINS("lie contiguously"));
}

TEST_CASE("gemm: words of the config", "[gemm]") {
  CHECK(gemm_backend("reference") == GemmBackend::reference);
  CHECK(to_string(gemm_backend("cblas")) == "cblas");
  CHECK_THROWS_WITH(gemm_backend("mkl"), ROOTDK_CONTAINS("tile, cblas, reference"));
  CHECK(blas_description().find("1 thread") != std::string_view::npos);
}
