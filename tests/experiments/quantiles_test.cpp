#include "common/quantiles.hpp"

#include <cmath>

#include "catch.hpp"

using namespace rootdk;

TEST_CASE("quantiles: the beta distributions that are powers", "[quantiles]") {
  // P(Beta(a, 1) <= x) = x^a, P(Beta(1, b) > x) = (1 - x)^b
  CHECK(beta_quantile(3, 1, 0.2) == Approx(std::cbrt(0.2)).epsilon(1e-13));
  CHECK(beta_quantile_from_above(1, 4, 0.2) == Approx(1 - std::pow(0.2, 0.25)).epsilon(1e-13));
}

TEST_CASE("quantiles: Student's t in its closed forms and its limit", "[quantiles]") {
  const double pi = std::acos(-1.0);
  for (const double p : {0.5, 0.05, 6e-5}) {
    CHECK(students_t_two_sided(1, p) == Approx(1 / std::tan(pi * p / 2)).epsilon(1e-12));
    const double u = 1 - p;  // two degrees: t = u sqrt(2 / (1 - u^2))
    CHECK(students_t_two_sided(2, p) == Approx(u * std::sqrt(2 / (1 - u * u))).epsilon(1e-9));
  }
  CHECK(students_t_two_sided(1e9, 0.05) == Approx(1.959963985).epsilon(1e-8));
}
