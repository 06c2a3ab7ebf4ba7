#include "rootdk/theory/score_gap.hpp"

#include <cmath>

#include "catch.hpp"
#include "rootdk/theory/top_two_gap.hpp"

using namespace rootdk::theory;

TEST_CASE("mean length of a normal vector and of its inverse", "[theory]") {
  const double pi = std::acos(-1.0);
  CHECK(mean_length(1) == Approx(std::sqrt(2 / pi)));
  CHECK(mean_length(3) == Approx(2 * std::sqrt(2 / pi)));
  CHECK(mean_inverse_length(2) == Approx(std::sqrt(pi / 2)));
  CHECK(mean_inverse_length(3) == Approx(std::sqrt(2 / pi)));
  CHECK(mean_inverse_square_length(6) == 0.25);
  CHECK(std::isinf(mean_inverse_length(1)));
  CHECK(std::isinf(mean_inverse_square_length(2)));
  CHECK(mean_inverse_length(4096) * 64 == Approx(1 + 3.0 / (4 * 4096)).epsilon(1e-6));
}

// P(|q| |k_1 - k_2| > t) for single numbers: the length of k_1 - k_2 is sqrt(2) times that of a
// normal, and given it |q| exceeds t over it with probability erfc.
TEST_CASE("gap of two keys one wide", "[theory]") {
  const ScoreGap gap(2, 1, 1);
  for (const double t : {0.05, 0.4, 1.0, 4.0}) {
    double sum = 0;
    const double step = 1e-4, pi = std::acos(-1.0);
    for (double x = step / 2; x < 9; x += step) {
      sum += step * std::sqrt(2 / pi) * std::exp(-x * x / 2) * std::erfc(t / (2 * x));
    }
    CHECK(gap.survival(t) == Approx(sum).margin(1e-6));
  }
}

TEST_CASE("gap of scores: scale, quantile and mean agree with each other", "[theory]") {
  for (const int d : {1, 4, 64, 1024}) {
    CAPTURE(d);
    const ScoreGap gap(16, d, 1), half(16, d, -0.5);
    CHECK(half.survival(0.7) == Approx(gap.survival(1.4)).margin(1e-9));
    CHECK(half.quantile(0.3) == Approx(gap.quantile(0.3) / 2).epsilon(1e-6));
    for (const double level : {0.05, 0.5, 0.95}) {
      CHECK(gap.survival(gap.quantile(level)) == Approx(1 - level).margin(1e-6));
    }
    const double far = 12 * std::sqrt(d), step = far / 400;
    double sum = 0.5;
    for (int i = 1; i < 400; ++i) sum += gap.survival(i * step);
    CHECK(gap.mean() == Approx(step * sum).epsilon(2e-3));
  }
}

TEST_CASE("gap of wide keys: that of n normals times sqrt(d_k)", "[theory]") {
  const ScoreGap gap(16, 1'000'000, 1);
  CHECK(gap.quantile(0.5) == Approx(1000 * gap_quantile(16, 0.5)).epsilon(1e-5));
  CHECK(gap.survival(500) == Approx(gap_survival(16, 0.5)).epsilon(1e-5));
  CHECK(ScoreGap(16, 64, 0).quantile(0.5) == 0);
  CHECK(ScoreGap(16, 64, 0).survival(1) == 0);
}
