#include "rootdk/probes/gradient_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "probes/oracle.hpp"

using namespace rootdk::probes;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class T>
double norm_of(const std::vector<T>& row) {
  return norm(std::span<const T>(row));
}
Summary summary_of(std::vector<double> values) { return summarise(values); }

}  // namespace

TEST_CASE("norm of a row") {
  CHECK(norm_of<double>({3, -4}) == 5);
  CHECK(norm_of<float>({3, -4}) == 5);
  CHECK(norm_of<double>({}) == 0);
  CHECK(norm_of<double>({0, 0}) == 0);
  CHECK(norm_of<double>({-2}) == 2);
}

TEST_CASE("norm neither underflows nor overflows") {
  CHECK(relative_error(norm_of<double>({3e-200, 4e-200}), 5e-200) < 1e-15);
  CHECK(relative_error(norm_of<double>({3e+200, -4e+200}), 5e+200) < 1e-15);
  CHECK(relative_error(norm_of<float>({3e-40F, 4e-40F}), 5e-40) < 1e-5);  // subnormal floats
  const double tiny = std::numeric_limits<double>::denorm_min();
  CHECK(norm_of<double>({3 * tiny, 4 * tiny}) == 5 * tiny);
  CHECK(norm_of<double>({tiny, 0}) == tiny);
  const double huge = std::numeric_limits<double>::max() / 2;
  CHECK(relative_error(norm_of<double>({huge, huge}), std::sqrt(2.0) * huge) < 1e-15);
  CHECK(norm_of<float>({std::numeric_limits<float>::max(), std::numeric_limits<float>::max()}) ==
        Approx(std::sqrt(2.0) * std::numeric_limits<float>::max()));
}

TEST_CASE("norm passes NaN and infinity on") {
  CHECK(std::isnan(norm_of<double>({not_a_number, 1, 2})));
  CHECK(std::isnan(norm_of<double>({1, 2, not_a_number})));
  CHECK(std::isnan(norm_of<double>({0, not_a_number, 0})));
  CHECK(std::isnan(norm_of<double>({infinity, not_a_number})));
  CHECK(std::isnan(norm_of<double>({not_a_number, infinity})));
  CHECK(norm_of<double>({1, -infinity}) == infinity);
  const auto infinite_float = static_cast<float>(infinity);
  CHECK(std::isnan(norm_of<float>({infinite_float, std::nanf("")})));
  CHECK(norm_of<float>({1, -infinite_float}) == infinity);
}

TEST_CASE("quantiles interpolate as numpy does") {
  // numpy.quantile([1, 2, 4, 8, 16], q) of numpy 1.24
  const std::vector<double> values = {1, 2, 4, 8, 16};
  CHECK(quantile(values, 0.05) == 1.2);
  CHECK(quantile(values, 0.5) == 4);
  CHECK(quantile(values, 0.95) == 14.399999999999999);
  CHECK(quantile(values, 0) == 1);
  CHECK(quantile(values, 1) == 16);
  CHECK(quantile(values, 0.3) == 2.4);
  CHECK(quantile(std::vector<double>{7}, 0.05) == 7);
  CHECK(quantile(std::vector<double>{1, 2}, 0.5) == 1.5);
  CHECK(quantile(std::vector<double>{1, infinity, infinity}, 0.95) == infinity);
  CHECK(quantile(std::vector<double>{1, infinity}, 0.75) == infinity);
}

TEST_CASE("a summary of a handful of values") {
  const Summary s = summary_of({0.5, 0, 1e-4, 2, 1e-7, -1e-9, 4, 0});
  CHECK(relative_error(s.mean, (0.5 + 1e-4 + 2 + 1e-7 - 1e-9 + 4) / 8) < 1e-15);
  CHECK(relative_error(s.rms, std::sqrt((0.25 + 1e-8 + 4 + 1e-14 + 1e-18 + 16) / 8)) < 1e-15);
  CHECK(s.median == Approx(0.5 * (1e-7 + 1e-4)).epsilon(1e-15));
  CHECK(s.q05 == Approx(-1e-9 + 0.35 * 1e-9).epsilon(1e-14));
  CHECK(s.q95 == Approx(2 + 0.65 * 2).epsilon(1e-15));
  CHECK(s.dead_1e_3 == 5.0 / 8);
  CHECK(s.dead_1e_6 == 4.0 / 8);
  CHECK(s.exact_zero == 2.0 / 8);
  const double second = 0.25 + 1e-8 + 4 + 16, fourth = 0.0625 + 16 + 256;
  CHECK(s.live_share == Approx(second * second / (8 * fourth)).epsilon(1e-14));
}

TEST_CASE("dead means strictly below the threshold") {
  const Summary s = summary_of({1e-3, 1e-6, std::nextafter(1e-3, 0.0), std::nextafter(1e-6, 0.0)});
  CHECK(s.dead_1e_3 == 0.75);
  CHECK(s.dead_1e_6 == 0.25);
  CHECK(s.exact_zero == 0);
}

TEST_CASE("live share counts the values that carry the sum of squares") {
  CHECK(summary_of({3, 3, 3, 3}).live_share == 1);
  CHECK(summary_of({0, 0, 3, 0}).live_share == 0.25);
  CHECK(summary_of({0, 5, 5, 0}).live_share == 0.5);
  CHECK(summary_of({0, 0, 0}).live_share == 0);
  CHECK(summary_of({0, 0, 0}).exact_zero == 1);
  CHECK(summary_of({0, 0, 0}).rms == 0);
}

TEST_CASE("a summary has the precision it should at any magnitude") {
  const Summary one = summary_of({1, 2, 3, 7});
  for (const int exponent : {-1060, -600, -200, 200, 600, 1020}) {
    CAPTURE(exponent);
    std::vector<double> values = {1, 2, 3, 7};
    for (double& value : values) value = std::ldexp(value, exponent);
    const Summary s = summarise(values);
    CHECK(s.live_share == one.live_share);
    // A subnormal mean has the digits that its exponent leaves.
    CHECK(s.mean == std::ldexp(one.mean, exponent));
    CHECK(s.rms == std::ldexp(one.rms, exponent));
    CHECK(s.median == std::ldexp(one.median, exponent));
  }
}

TEST_CASE("a summary never drops a NaN and an empty one is NaN") {
  for (const auto& values :
       {std::vector<double>{1, not_a_number, 2}, std::vector<double>{not_a_number, 0},
        std::vector<double>{0, not_a_number}, std::vector<double>{}}) {
    const Summary s = summary_of(values);
    for (const StatisticName& statistic : statistic_names) {
      CAPTURE(statistic.name);
      CHECK(std::isnan(s.*statistic.value));
    }
  }
}

TEST_CASE("a summary with an infinite value") {
  const Summary s = summary_of({1, infinity, 2});
  CHECK(s.mean == infinity);
  CHECK(s.rms == infinity);
  CHECK(s.median == 2);
  CHECK(std::isnan(s.live_share));
}

TEST_CASE("the statistics have the names of a log and each its own value") {
  const std::vector<std::string_view> names = {
      "mean", "rms", "median", "q05", "q95", "dead_1e-3", "dead_1e-6", "exact_zero", "live_share"};
  REQUIRE(statistic_names.size() == names.size());
  const Summary numbered{0, 1, 2, 3, 4, 5, 6, 7, 8};
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(statistic_names[i].name == names[i]);
    CHECK(numbered.*statistic_names[i].value == static_cast<double>(i));
    CHECK(statistic_names[i].of_magnitudes_only == (i >= 5));
  }
}

TEST_CASE("quantiles among zeros of both signs, equal values and infinities") {
  const std::vector<double> values = {-0.0, 3,         0.0, -2,       0.0,   -0.0,
                                      3,    -infinity, 3,   infinity, 1e-320};
  std::vector<double> ascending = values;
  std::sort(ascending.begin(), ascending.end());
  const Summary summary = summary_of(values);
  CHECK(summary.q05 == quantile(ascending, 0.05));
  CHECK(summary.median == quantile(ascending, 0.5));
  CHECK(summary.q95 == quantile(ascending, 0.95));
}

TEST_CASE("summarise takes its quantiles from values in any order, and keeps the values") {
  for (const std::size_t count : {1u, 2u, 3u, 19u, 20u, 21u, 22u, 512u}) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(static_cast<double>((i * 7919 + 13) % 1009) / 16);  // with ties
    }
    std::vector<double> ascending = values;
    std::sort(ascending.begin(), ascending.end());
    const Summary s = summarise(values);
    CHECK(s.q05 == quantile(ascending, 0.05));
    CHECK(s.median == quantile(ascending, 0.5));
    CHECK(s.q95 == quantile(ascending, 0.95));
    std::sort(values.begin(), values.end());
    CHECK(values == ascending);
  }
}

// Crowds of equal values, around zero above all, are where an interval cannot be halved any further.
TEST_CASE("quantiles among crowds of equal values") {
  constexpr double tiny = std::numeric_limits<double>::denorm_min();
  const std::vector<double> crowds{-0.0, 0.0, tiny, -tiny, 1.0, -1.0, 1e300, -1e300};
  for (std::size_t first = 0; first < crowds.size(); ++first) {
    for (std::size_t second = 0; second < crowds.size(); ++second) {
      for (const std::size_t share : {10u, 26u, 27u, 256u, 500u}) {
        std::vector<double> values;
        for (std::size_t i = 0; i < 512; ++i) {
          const double other = static_cast<double>(i % 7) - 3;
          values.push_back(i < share ? crowds[first] : i % 3 > 0 ? crowds[second] : other);
        }
        std::vector<double> ascending = values;
        std::sort(ascending.begin(), ascending.end());
        CAPTURE(crowds[first], crowds[second], share);
        const Summary s = summarise(values);
        CHECK(s.q05 == quantile(ascending, 0.05));
        CHECK(s.median == quantile(ascending, 0.5));
        CHECK(s.q95 == quantile(ascending, 0.95));
      }
    }
  }
}
