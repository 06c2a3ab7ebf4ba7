#include "rootdk/probes/concentration.hpp"

#include <cmath>
#include <vector>

#include "catch.hpp"
#include "probes/oracle.hpp"

using namespace rootdk::probes;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Concentration of(const std::vector<double>& scores) {
  return concentration(softmax_tail(std::span<const double>(scores)));
}

bool all_nan(const Concentration& c) {
  return std::isnan(c.p_max) && std::isnan(c.entropy) && std::isnan(c.effective_keys) &&
         std::isnan(c.top_two_gap);
}

}  // namespace

TEST_CASE("concentration of the three tokens of the worked example") {
  const double root = std::sqrt(2.0);
  const std::vector<std::vector<double>> scaled = {{2 / root, 1 / root, 2 / root},
                                                   {1 / root, 2 / root, 2 / root},
                                                   {1 / root, 1 / root, 2 / root}};
  // Rows one and two are tied at the top; p and the rest from an independent computation.
  CHECK(of(scaled[0]).entropy == Approx(1.053363).margin(1e-6));
  CHECK(of(scaled[1]).entropy == Approx(1.053363).margin(1e-6));
  CHECK(of(scaled[2]).entropy == Approx(1.037277).margin(1e-6));
  CHECK(of(scaled[0]).effective_keys == Approx(2.770873).margin(1e-6));
  CHECK(of(scaled[1]).effective_keys == Approx(2.770873).margin(1e-6));
  CHECK(of(scaled[2]).effective_keys == Approx(2.654187).margin(1e-6));
  CHECK(of(scaled[0]).p_max == Approx(0.401112).margin(1e-6));
  CHECK(of(scaled[2]).p_max == Approx(0.503490).margin(1e-6));
  CHECK(of(scaled[0]).top_two_gap == 0);
  CHECK(of(scaled[2]).top_two_gap == Approx(1 / root));
}

TEMPLATE_TEST_CASE("concentration agrees with the definitions in long double", "", float, double) {
  const double tolerance = sizeof(TestType) == 4 ? 5e-7 : 1e-14;
  std::uint64_t step = 0;
  for (const std::size_t n : std::vector<std::size_t>{2, 3, 16, 64, 65, 200}) {
    for (const double spread : {0.0, 1e-8, 0.3, 1.0, 5.0, 30.0, 200.0}) {
      for (int repeat = 0; repeat < 5; ++repeat) {
        const auto scores = random_scores<TestType>(n, spread, step++);
        const std::span<const TestType> row(scores);
        const RowOracle oracle(row);
        const Concentration c = concentration(softmax_tail(row));
        CAPTURE(n, spread, repeat);
        CHECK(relative_error(c.p_max, oracle.p_max()) < tolerance);
        CHECK(relative_error(c.entropy, oracle.entropy()) < 10 * tolerance);
        CHECK(relative_error(c.effective_keys, oracle.effective_keys()) < tolerance);
      }
    }
  }
}

TEST_CASE("concentration of two keys up to the largest gap a double can tell from infinity") {
  for (const double gap : {0.0, 1e-12, 1.0, 37.0, 40.0, 100.0, 373.0, 700.0, 744.0}) {
    CAPTURE(gap);
    const Concentration c = of({3.0, 3.0 - gap});
    const double actual_gap = 3.0 - (3.0 - gap);
    const long double q = std::exp(-static_cast<long double>(actual_gap));
    const double entropy = static_cast<double>(std::log1p(q) + actual_gap * q / (1 + q));
    CHECK(c.top_two_gap == actual_gap);
    // The last exponential is a subnormal number with one or two digits.
    CHECK(relative_error(c.entropy, entropy) < (gap > 708 ? 0.3 : 1e-14));
    CHECK(c.entropy > 0);
  }
  CHECK(of({0, -800}).entropy == 0);
  CHECK(of({0, -800}).effective_keys == 1);
}

TEST_CASE("concentration of a uniform row") {
  for (const std::size_t n : std::vector<std::size_t>{2, 7, 64, 1000}) {
    const auto count = static_cast<double>(n);
    const Concentration c = of(std::vector<double>(n, -3.25));
    CHECK(relative_error(c.p_max, 1 / count) < 1e-15);
    CHECK(relative_error(c.entropy, std::log(count)) < 1e-15);
    CHECK(relative_error(c.effective_keys, count) < 1e-15);
    CHECK(c.top_two_gap == 0);
  }
}

TEST_CASE("concentration of rows with one key or none or keys that are not seen") {
  const Concentration empty = of({});
  CHECK(empty.p_max == 0);
  CHECK(empty.entropy == 0);
  CHECK(empty.effective_keys == 0);
  CHECK(empty.top_two_gap == 0);
  CHECK(of({-infinity, -infinity}).effective_keys == 0);

  for (const Concentration& one : {of({5.0}), of({-infinity, 5.0, -infinity})}) {
    CHECK(one.p_max == 1);
    CHECK(one.entropy == 0);
    CHECK(one.effective_keys == 1);
    CHECK(one.top_two_gap == infinity);
  }
  const Concentration with = of({1.0, -infinity, 0.5, -infinity, 0.25});
  const Concentration without = of({1.0, 0.5, 0.25});
  CHECK(with.entropy == without.entropy);
  CHECK(with.effective_keys == without.effective_keys);
}

TEST_CASE("concentration of scores whose gap no double holds is that of one key") {
  for (const Concentration& alone : {of({1.5e308, -1.5e308}), of({-1.5e308, -1.5e308, 1.5e308})}) {
    CHECK(alone.p_max == 1);
    CHECK(alone.entropy == 0);
    CHECK(alone.effective_keys == 1);
    CHECK(alone.top_two_gap == infinity);
  }
}

TEST_CASE("concentration never hides a NaN") {
  CHECK(all_nan(of({not_a_number})));
  CHECK(all_nan(of({0.0, not_a_number, 1.0})));
  CHECK(all_nan(of({not_a_number, 0.0})));
  CHECK(all_nan(of({0.0, -infinity, not_a_number})));
  CHECK(all_nan(of({0.0, infinity})));
  std::vector<double> behind(200, 0.0);
  behind.back() = not_a_number;
  CHECK(all_nan(of(behind)));
}

TEST_CASE("concentration does not depend on the order of keys nor on a shift") {
  const Concentration a = of({0.5, 2.0, -1.0, 1.75});
  const Concentration b = of({1024 + 1.75, 1024 - 1.0, 1024 + 0.5, 1024 + 2.0});
  CHECK(relative_error(a.entropy, b.entropy) < 1e-15);
  CHECK(relative_error(a.effective_keys, b.effective_keys) < 1e-15);
  CHECK(a.top_two_gap == b.top_two_gap);
}
