#include "rootdk/probes/softmax_jacobian.hpp"

#include <cmath>
#include <vector>

#include "catch.hpp"
#include "probes/oracle.hpp"

using namespace rootdk::probes;

namespace {

double of(const std::vector<double>& scores) {
  return softmax_jacobian_norm(softmax_tail(std::span<const double>(scores)));
}

}  // namespace

TEST_CASE("Jacobian norm of the three tokens of the worked example") {
  const double root = std::sqrt(2.0);
  CHECK(of({2 / root, 1 / root, 2 / root}) == Approx(0.466402).margin(1e-6));
  CHECK(of({1 / root, 2 / root, 2 / root}) == Approx(0.466402).margin(1e-6));
  CHECK(of({1 / root, 1 / root, 2 / root}) == Approx(0.449713).margin(1e-6));
  CHECK(of({2, 1, 2}) == Approx(0.465938).margin(1e-6));
  CHECK(of({1, 1, 2}) == Approx(0.423204).margin(1e-6));
}

TEST_CASE("Jacobian norm of two keys is 2 p q at any gap") {
  CHECK(of({1, 1}) == 0.5);
  for (const double gap : {1e-9, 0.5, 1.0, 20.0, 36.0, 38.0, 100.0, 373.0, 500.0, 700.0}) {
    CAPTURE(gap);
    const long double q = std::exp(-static_cast<long double>(gap));
    CHECK(relative_error(of({0, -gap}), static_cast<double>(2 * q / ((1 + q) * (1 + q)))) < 2e-15);
    CHECK(of({-gap, 0}) == of({0, -gap}));
  }
  CHECK(of({0, -745}) > 0);
  CHECK(of({0, -800}) == 0);
}

TEST_CASE("Jacobian norm of a uniform row is sqrt(n - 1) / n or close to it") {
  for (const std::size_t n : std::vector<std::size_t>{2, 3, 16, 64, 1000}) {
    const auto count = static_cast<double>(n);
    CHECK(relative_error(of(std::vector<double>(n, 7.5)), std::sqrt(count - 1) / count) < 1e-15);
    const auto scores = random_scores<double>(n, 1e-9, n);
    const RowOracle oracle{std::span<const double>(scores)};
    CHECK(relative_error(of(scores), oracle.jacobian_norm()) < 1e-14);
  }
}

TEMPLATE_TEST_CASE("Jacobian norm agrees with the matrix written out in long double", "", float,
                   double) {
  double worst = 0;
  std::uint64_t step = 1000;
  for (const std::size_t n : std::vector<std::size_t>{2, 3, 5, 16, 64, 65, 130}) {
    for (const double spread : {0.01, 0.3, 1.0, 3.0, 10.0, 50.0, 200.0}) {
      for (int repeat = 0; repeat < 10; ++repeat) {
        const auto scores = random_scores<TestType>(n, spread, step++);
        const std::span<const TestType> row(scores);
        const double got = softmax_jacobian_norm(softmax_tail(row));
        const double want = RowOracle(row).jacobian_norm();
        if (want < 1e-300) continue;  // subnormal exponentials have few digits
        worst = std::max(worst, relative_error(got, want));
      }
    }
  }
  CHECK(worst < (sizeof(TestType) == 4 ? 5e-7 : 1e-13));
}

TEST_CASE("Jacobian norm of a row that saturates with many losers at different depths") {
  for (const double gap : {0.0, 1.0, 30.0, 200.0, 600.0, 700.0}) {
    std::vector<double> scores(40, 0.0);
    for (std::size_t j = 1; j < scores.size(); ++j)
      scores[j] = -gap - 0.25 * static_cast<double>(j - 1);
    CAPTURE(gap);
    CHECK(relative_error(of(scores), RowOracle(std::span<const double>(scores)).jacobian_norm()) <
          1e-14);
  }
}

TEST_CASE("Jacobian norm is at most one half and 0 where there is nothing to choose") {
  for (std::uint64_t step = 0; step < 200; ++step) {
    const double norm = of(random_scores<double>(2 + step % 9, 2.0, step));
    CHECK(norm <= 0.5 * (1 + 1e-15));
    CHECK(norm > 0);
  }
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(of({}) == 0);
  CHECK(of({3.0}) == 0);
  CHECK(of({-infinity, 3.0}) == 0);
  CHECK(of({-infinity, -infinity}) == 0);
  CHECK(std::isnan(of({0.0, std::numeric_limits<double>::quiet_NaN()})));
  CHECK(std::isnan(of({0.0, infinity})));
}
