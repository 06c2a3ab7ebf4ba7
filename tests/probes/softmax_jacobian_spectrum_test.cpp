#include "rootdk/probes/softmax_jacobian_spectrum.hpp"

#include <cmath>
#include <vector>
#include <xtensor-blas/xlinalg.hpp>

#include "catch.hpp"
#include "probes/oracle.hpp"
#include "rootdk/probes/softmax_jacobian.hpp"

using namespace rootdk::probes;

namespace {

template <class T>
double largest(const std::vector<T>& scores) {
  std::vector<double> scratch(scores.size());
  const std::span<const T> row(scores);
  return softmax_jacobian_spectral(row, softmax_tail(row), std::span<double>(scratch));
}

double trace(const std::vector<double>& scores) {
  return softmax_jacobian_trace(softmax_tail(std::span<const double>(scores)));
}

// J written out.
xt::xtensor<double, 2> jacobian(const std::vector<long double>& p) {
  xt::xtensor<double, 2> J = xt::zeros<double>({p.size(), p.size()});
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (std::size_t j = 0; j < p.size(); ++j) {
      J(i, j) = static_cast<double>(-p[i] * p[j] + (i == j ? p[i] : 0));
    }
  }
  return J;
}

}  // namespace

TEST_CASE("largest eigenvalue of J: as LAPACK finds it", "[probes]") {
  std::uint64_t step = 0;
  for (const std::size_t n : std::vector<std::size_t>{2, 3, 5, 16, 64}) {
    for (const double spread : {0.01, 0.3, 1.0, 3.0, 8.0}) {
      for (int repeat = 0; repeat < 5; ++repeat) {
        const auto scores = random_scores<double>(n, spread, step++);
        const auto J = jacobian(RowOracle(std::span<const double>(scores)).p);
        const double expected = xt::amax(xt::linalg::eigvalsh(J))();
        CAPTURE(n, spread, repeat);
        CHECK(largest(scores) == Approx(expected).margin(1e-14));
        CHECK(trace(scores) == Approx(xt::linalg::trace(J)()).margin(1e-14));
        CHECK(largest(std::vector<float>(scores.begin(), scores.end())) ==
              Approx(expected).margin(1e-6));
      }
    }
  }
}

TEST_CASE("largest eigenvalue of J: two keys have one, 2 p q, at any gap", "[probes]") {
  for (const double gap : {0.0, 1e-9, 0.5, 20.0, 37.0, 100.0, 373.0, 700.0}) {
    CAPTURE(gap);
    const long double x = std::exp(-static_cast<long double>(gap));
    const auto expected = static_cast<double>(2 * x / ((1 + x) * (1 + x)));
    CHECK(relative_error(largest<double>({0, -gap}), expected) < 1e-14);
    CHECK(relative_error(trace({-gap, 0}), expected) < 1e-14);
  }
}

// Two of three eigenvalues are not 0: their sum is tr J, their product 3 p_1 p_2 p_3.
TEST_CASE("largest eigenvalue of J: three keys in closed form, deeply saturated", "[probes]") {
  for (const double gap : {0.0, 1.0, 30.0, 200.0, 700.0}) {
    for (const double further : {0.0, 1e-6, 0.1, 2.0, 30.0}) {
      const std::vector<double> scores{-gap - further, 0, -gap};
      const RowOracle oracle{std::span<const double>(scores)};
      const long double tr =
          2 * (oracle.p[0] * oracle.p[1] + oracle.p[1] * oracle.p[2] + oracle.p[0] * oracle.p[2]);
      const long double product = 3 * oracle.p[0] * oracle.p[1] * oracle.p[2];
      const long double root = std::sqrt(std::max(0.0L, tr * tr - 4 * product));
      CAPTURE(gap, further);
      CHECK(relative_error(largest(scores), static_cast<double>((tr + root) / 2)) < 1e-9);
      CHECK(relative_error(trace(scores), static_cast<double>(tr)) < 1e-13);
    }
  }
}

TEST_CASE("largest eigenvalue of J: uniform rows, ties and bounds", "[probes]") {
  CHECK(largest<double>({5, 5}) == 0.5);
  for (const std::size_t n : std::vector<std::size_t>{3, 16, 1000}) {
    CHECK(largest(std::vector<double>(n, 2.5)) == Approx(1 / static_cast<double>(n)));
    CHECK(trace(std::vector<double>(n, 2.5)) == Approx(1 - 1 / static_cast<double>(n)));
  }
  for (std::uint64_t step = 0; step < 200; ++step) {
    const auto scores = random_scores<double>(2 + step % 9, 3.0, step);
    const double norm = softmax_jacobian_norm(softmax_tail(std::span<const double>(scores)));
    CHECK(largest(scores) <= norm * (1 + 1e-12));
    CHECK(norm <= trace(scores) * (1 + 1e-12));
  }
}

TEST_CASE("largest eigenvalue of J: nothing to choose, hidden keys and NaN", "[probes]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(largest<double>({}) == 0);
  CHECK(largest<double>({3}) == 0);
  CHECK(largest<double>({3, -infinity}) == 0);
  CHECK(largest<double>({1, -infinity, 0}) == largest<double>({1, 0}));
  CHECK(largest<double>({0, -800}) == 0);
  CHECK(std::isnan(largest<double>({0, nan})));
  CHECK(std::isnan(trace({0, nan})));
  CHECK(trace({}) == 0);
}
