#include "rootdk/theory/two_level_law.hpp"

#include <cmath>

#include "catch.hpp"

using namespace rootdk::theory;

TEST_CASE("two-level law: first order in closed form", "[theory]") {
  const double pi = std::acos(-1.0);
  const auto A = [](RowStatistic h) { return two_level_law(h, 16).A; };
  CHECK(A(row::jacobian_norm) == Approx(1).margin(1e-9));
  CHECK(A(row::jacobian_spectral) == Approx(1).margin(1e-9));
  CHECK(A(row::jacobian_trace) == Approx(1).margin(1e-9));
  CHECK(A(row::one_less_p_max) == Approx(std::log(2.0)).margin(1e-9));
  CHECK(A(row::entropy) == Approx(pi * pi / 6).margin(1e-9));
  CHECK(A(row::effective_keys_less_one) == Approx(pi / 2).margin(1e-9));
  CHECK(A(row::jacobian_norm_square) == Approx(1 / 3.0).margin(1e-9));
  CHECK(A(row::jacobian_norm_fourth) == Approx(2 / 35.0).margin(1e-9));
  for (const int n : {16, 64}) {
    CHECK(two_level_law(row::mse_norm_square, n).A ==
          Approx(1 / 30.0 + 1 / (3.0 * n)).margin(1e-9));
    // sqrt(2) int p q |p - q| du = sqrt(2) / 4 for any wrong target, times 1 or 3 for the top two.
    CHECK(two_level_law(row::mse_norm, n).A ==
          Approx(std::sqrt(2.0) / 4 * (1 + 2.0 / n)).margin(1e-7));
  }
}

TEST_CASE("two-level law: second order as computed elsewhere", "[theory]") {
  struct Row {
    RowStatistic h;
    double at_16, at_64;
  };
  for (const auto& [h, at_16, at_64] :
       {Row{row::jacobian_norm, -3.1126, -6.0561}, Row{row::jacobian_spectral, -3.7257, -7.2491},
        Row{row::one_less_p_max, 0.1796, 0.3495}, Row{row::entropy, 2.9017, 5.6465},
        Row{row::effective_keys_less_one, 5.2563, 10.2279},
        Row{row::jacobian_norm_square, -0.8046, -1.5654}}) {
    CHECK(two_level_law(h, 16).C == Approx(at_16).epsilon(1e-3));
    CHECK(two_level_law(h, 64).C == Approx(at_64).epsilon(1e-3));
  }
  CHECK(two_level_law(row::jacobian_trace, 16).C == Approx(0).margin(1e-7));
  CHECK(two_level_law(row::jacobian_norm, 2).C == 0);
}

TEST_CASE("statistics of three keys: uniform, and two only", "[theory]") {
  const TopThree uniform{1, 1, 3}, pair{0.2, 0, 16};
  const double p = 1 / 1.2, q = 0.2 / 1.2;
  CHECK(row::jacobian_norm(uniform) == Approx(std::sqrt(2.0) / 3));
  CHECK(row::jacobian_spectral(uniform) == Approx(1 / 3.0));
  CHECK(row::entropy(uniform) == Approx(std::log(3.0)));
  CHECK(row::effective_keys_less_one(uniform) == Approx(2));
  CHECK(row::jacobian_norm(pair) == Approx(2 * p * q));
  CHECK(row::jacobian_spectral(pair) == Approx(2 * p * q));
  CHECK(row::jacobian_trace(pair) == Approx(2 * p * q));
  CHECK(row::entropy(pair) == Approx(-p * std::log(p) - q * std::log(q)));
}
