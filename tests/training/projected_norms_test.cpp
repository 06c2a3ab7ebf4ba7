#include "rootdk/training/projected_norms.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "rootdk/random.hpp"

using namespace rootdk;

namespace {

struct Sizes {
  Index N, m, d_k;
};

template <class T>
std::vector<T> numbers(Index count, std::uint64_t stream) {
  Stream random(StreamKey(17, "projected norms"), stream);
  std::vector<T> x(static_cast<std::size_t>(count));
  for (T& value : x) value = static_cast<T>(random.normal());
  return x;
}

// |y_i W| by the definition, in long double.
template <class T>
double norm_of_row(const T* y, const T* W, Index m, Index d_k) {
  long double square = 0;
  for (Index j = 0; j < d_k; ++j) {
    long double sum = 0;
    for (Index l = 0; l < m; ++l) {
      sum += static_cast<long double>(y[l]) * static_cast<long double>(W[l * d_k + j]);
    }
    square += sum * sum;
  }
  return static_cast<double>(std::sqrt(square));
}

template <class T>
std::vector<double> norms_of(const Sizes& sizes, const std::vector<T>& Y, const std::vector<T>& W,
                             GemmBackend gemm = default_gemm) {
  ProjectedNorms<T> projected(gemm, sizes.N, sizes.m, sizes.d_k);
  std::vector<double> norms(static_cast<std::size_t>(sizes.N), -1);
  // Nothing is left of what it computed before.
  const std::vector<T> other(W.size(), T(3));
  projected.compute(View<const T>(Y.data(), Shape{sizes.N, sizes.m}),
                    View<const T>(other.data(), Shape{sizes.m, sizes.d_k}), norms);
  projected.compute(View<const T>(Y.data(), Shape{sizes.N, sizes.m}),
                    View<const T>(W.data(), Shape{sizes.m, sizes.d_k}), norms);
  return norms;
}

// Sizes of both ways, and last blocks of rows, of Y and of W, that are not full.
const std::vector<Sizes> both_ways{
    {1, 1, 1}, {130, 12, 16}, {130, 12, 512}, {64, 8, 300}, {150, 40, 600}};

}  // namespace

TEMPLATE_TEST_CASE("projected norms are those of the rows of the product", "[training][probes]",
                   float, double) {
  using T = TestType;
  const auto gemm = GENERATE(GemmBackend::tile, GemmBackend::cblas, GemmBackend::reference);
  for (const Sizes& sizes : both_ways) {
    const auto Y = numbers<T>(sizes.N * sizes.m, 1), W = numbers<T>(sizes.m * sizes.d_k, 2);
    const std::vector<double> norms = norms_of(sizes, Y, W, gemm);
    CAPTURE(sizes.N, sizes.m, sizes.d_k);
    for (Index i = 0; i < sizes.N; ++i) {
      CHECK(norms[static_cast<std::size_t>(i)] ==
            Approx(norm_of_row(&Y[static_cast<std::size_t>(i * sizes.m)], W.data(), sizes.m,
                               sizes.d_k))
                .epsilon(sizeof(T) == 4 ? 1e-6 : 1e-14));
    }
  }
  CHECK_FALSE(ProjectedNorms<T>::is_quadratic(130, 12, 16));
  CHECK(ProjectedNorms<T>::is_quadratic(130, 12, 512) == (sizeof(T) == 4));
}

// All rows of W but one are equal, and y is such that they cancel: what is left is as small beside
// |y| |W| as rounding can tell.
TEST_CASE("projected norms: what cancels is lost no sooner than in a product of floats",
          "[training][probes]") {
  const Sizes sizes{130, 12, 512};
  const auto row = numbers<float>(sizes.d_k, 3), other = numbers<float>(sizes.d_k, 4);
  REQUIRE(ProjectedNorms<float>::is_quadratic(sizes.N, sizes.m, sizes.d_k));
  for (const float rest : {1e-2F, 1e-4F, 1e-6F}) {
    std::vector<float> W, Y;
    for (Index l = 0; l < sizes.m; ++l) {
      W.insert(W.end(), row.begin(), row.end());
    }
    std::copy(other.begin(), other.end(), W.end() - sizes.d_k);
    for (Index i = 0; i < sizes.N; ++i) {
      std::vector<float> y(static_cast<std::size_t>(sizes.m), 0.0F);
      y[0] = 1, y[1] = -1, y.back() = rest;
      Y.insert(Y.end(), y.begin(), y.end());
    }
    const double size = std::sqrt(2.0) * std::sqrt(12.0 * 512.0);
    CAPTURE(rest);
    CHECK(norms_of(sizes, Y, W)[77] ==
          Approx(norm_of_row(Y.data(), W.data(), sizes.m, sizes.d_k)).margin(1.5e-8 * size));
  }
}

TEST_CASE("projected norms: zeros are exactly 0, small rows keep their norms, NaN passes",
          "[training][probes]") {
  for (const Sizes& sizes : both_ways) {
    const auto W = numbers<float>(sizes.m * sizes.d_k, 5);
    auto Y = numbers<float>(sizes.N * sizes.m, 6);
    std::fill_n(Y.begin(), sizes.m, 0.0F);
    CHECK(norms_of(sizes, Y, W)[0] == 0);
    auto small = numbers<float>(sizes.N * sizes.m, 6);
    const std::vector<double> norms = norms_of(sizes, small, W);
    for (float& y : small) y *= 0x1p-90F;
    CHECK(norms_of(sizes, small, W).back() == Approx(norms.back() * 0x1p-90));
    Y[0] = std::numeric_limits<float>::quiet_NaN();
    CHECK(std::isnan(norms_of(sizes, Y, W)[0]));
  }
}
