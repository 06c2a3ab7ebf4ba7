#include "common/binomial_interval.hpp"

#include <cmath>
#include <stdexcept>

#include "catch.hpp"

using rootdk::clopper_pearson;
using rootdk::Interval;

namespace {

// P(X >= least) for X binomial, term by term.
double upper_tail(int least, int n, double p) {
  double sum = 0;
  for (int x = least; x <= n; ++x) {
    double term = 1;
    for (int i = 0; i < x; ++i) term *= p * (n - i) / (x - i);
    sum += term * std::pow(1 - p, n - x);
  }
  return sum;
}

}  // namespace

TEST_CASE("clopper pearson: closed forms at the ends", "[interval]") {
  // P(no success) = (1 - p)^n = a/2, and the mirror image.
  CHECK(clopper_pearson(0, 50).low == 0);
  CHECK(clopper_pearson(0, 50).high == Approx(1 - std::pow(0.025, 1.0 / 50)).epsilon(1e-12));
  CHECK(clopper_pearson(4000, 4000).high == 1);
  CHECK(clopper_pearson(4000, 4000).low == Approx(std::pow(0.025, 1.0 / 4000)).epsilon(1e-12));
}

TEST_CASE("clopper pearson: at each end the tail of the binomial holds half of the error",
          "[interval]") {
  const double confidence = GENERATE(0.9, 0.95);
  for (const int x : {1, 3, 10, 19}) {
    const Interval interval = clopper_pearson(x, 20, confidence);
    CHECK(upper_tail(x, 20, interval.low) == Approx((1 - confidence) / 2).epsilon(1e-9));
    CHECK(1 - upper_tail(x + 1, 20, interval.high) == Approx((1 - confidence) / 2).epsilon(1e-9));
  }
}

TEST_CASE("clopper pearson: refuses what is no count", "[interval]") {
  CHECK_THROWS_AS(clopper_pearson(0, 0), std::invalid_argument);
  CHECK_THROWS_AS(clopper_pearson(3, 2), std::invalid_argument);
  CHECK_THROWS_AS(clopper_pearson(-1, 2), std::invalid_argument);
}
