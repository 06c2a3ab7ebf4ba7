#include "rootdk/theory/top_two_gap.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

#include "catch.hpp"

using namespace rootdk::theory;

TEST_CASE("order statistics of n normals: computed elsewhere, to six digits", "[theory]") {
  struct Row {
    int n;
    double mean_of_largest;
    std::array<double, 5> gaps;  // at 0.05, 0.25, 0.5, 0.75, 0.95
  };
  const std::array<Row, 7> table{{
      {2, 0.564190, {0.088681, 0.450624, 0.953873, 1.626840, 2.771808}},
      {4, 1.029375, {0.049229, 0.262236, 0.585842, 1.055918, 1.917343}},
      {8, 1.423600, {0.035749, 0.193742, 0.442869, 0.820467, 1.546327}},
      {16, 1.765991, {0.028878, 0.157897, 0.365498, 0.688285, 1.329240}},
      {32, 2.069669, {0.024672, 0.135616, 0.316404, 0.602281, 1.183284}},
      {64, 2.343733, {0.021804, 0.120280, 0.282132, 0.541132, 1.076740}},
      {256, 2.826863, {0.018096, 0.100260, 0.236775, 0.458674, 0.928773}},
  }};
  const std::array<double, 5> levels{0.05, 0.25, 0.5, 0.75, 0.95};
  for (const Row& row : table) {
    CAPTURE(row.n);
    CHECK(mean_of_largest(row.n) == Approx(row.mean_of_largest).margin(1e-6));
    for (std::size_t i = 0; i < levels.size(); ++i) {
      CHECK(gap_quantile(row.n, levels[i]) == Approx(row.gaps[i]).margin(1e-6));
    }
  }
}

TEST_CASE("two normals: their gap is that of a normal of variance 2", "[theory]") {
  const double pi = std::acos(-1.0);
  CHECK(mean_of_largest(2) == Approx(1 / std::sqrt(pi)).margin(1e-12));
  CHECK(mean_square_of_largest(2) == Approx(1).margin(1e-12));
  CHECK(gap_mean(2) == Approx(2 / std::sqrt(pi)).margin(1e-12));
  for (const double t : {0.0, 0.1, 1.0, 3.0, 8.0}) {
    CHECK(gap_survival(2, t) == Approx(std::erfc(t / 2)).margin(1e-12));
  }
  CHECK(density_of_triple(2) == 0);
}

TEST_CASE("the gap's density starts at mu_n and falls by half the density of a triple",
          "[theory]") {
  for (const int n : {3, 5, 16, 64, 1000}) {
    CAPTURE(n);
    const double h = 1e-3, S_0 = gap_survival(n, 0), S_1 = gap_survival(n, h),
                 S_2 = gap_survival(n, 2 * h);
    CHECK(S_0 == Approx(1).margin(1e-12));
    CHECK((3 * S_0 - 4 * S_1 + S_2) / (2 * h) == Approx(mean_of_largest(n)).epsilon(1e-4));
    CHECK(-(S_0 - 2 * S_1 + S_2) / (h * h) == Approx(-density_of_triple(n) / 2).epsilon(1e-2));
  }
}

TEST_CASE("the mean of the gap is the integral of its survival", "[theory]") {
  for (const int n : {3, 16, 256}) {
    double sum = gap_survival(n, 0) / 2;
    for (int i = 1; i < 2000; ++i) sum += gap_survival(n, i * 0.005);
    CHECK(gap_mean(n) == Approx(0.005 * sum).margin(1e-4));
  }
}

TEST_CASE("order statistics need two", "[theory]") {
  CHECK_THROWS_AS(mean_of_largest(1), std::invalid_argument);
  CHECK_THROWS_AS(gap_survival(0, 1), std::invalid_argument);
  CHECK_THROWS_AS(gap_quantile(16, 1), std::invalid_argument);
}
