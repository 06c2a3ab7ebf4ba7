#include "rootdk/elementary.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "catch.hpp"

// The oracle is the mathematical library in long double. Errors are counted in units in the last
// place (ulp) of the type under test, of the fixed subnormal spacing below the normal range.
namespace {

namespace elementary = rootdk::elementary;

template <class T>
constexpr T infinity = std::numeric_limits<T>::infinity();
template <class T>
constexpr T not_a_number = std::numeric_limits<T>::quiet_NaN();

template <class T>
double ulps(T got, long double want) {
  if (static_cast<T>(want) == got) return 0;  // also both infinite
  int exponent = 0;
  std::frexp(static_cast<T>(want), &exponent);
  exponent = std::max(exponent, std::numeric_limits<T>::min_exponent);
  const long double ulp = std::ldexp(1.0L, exponent - std::numeric_limits<T>::digits);
  const auto error = static_cast<double>(std::fabs(static_cast<long double>(got) - want) / ulp);
  return std::isnan(error) ? infinity<double> : error;
}

// Largest error over `count` points evenly spaced on [from, to].
template <class T, class Function, class Oracle>
double worst_ulps(double from, double to, int count, Function function, Oracle oracle) {
  double worst = 0;
  for (int i = 0; i <= count; ++i) {
    const T x = static_cast<T>(from + (to - from) * i / count);
    worst = std::max(worst, ulps(function(x), oracle(static_cast<long double>(x))));
  }
  return worst;
}

const auto exp_of = [](auto x) { return elementary::exp(x); };
const auto exp_oracle = [](long double x) { return std::exp(x); };

}  // namespace

TEST_CASE("exp is within one unit in the last place over the whole range") {
  CHECK(worst_ulps<float>(-104, 88.8, 1'000'003, exp_of, exp_oracle) < 0.95);
  CHECK(worst_ulps<float>(-1, 1, 1'000'003, exp_of, exp_oracle) < 0.95);
  CHECK(worst_ulps<float>(-1e-6, 1e-6, 10'007, exp_of, exp_oracle) < 0.95);
  CHECK(worst_ulps<float>(-104, -87, 300'007, exp_of, exp_oracle) < 0.95);  // subnormal results
  CHECK(worst_ulps<double>(-746, 709.78, 1'000'003, exp_of, exp_oracle) < 0.95);
  CHECK(worst_ulps<double>(-1, 1, 1'000'003, exp_of, exp_oracle) < 0.95);
  CHECK(worst_ulps<double>(-1e-14, 1e-14, 10'007, exp_of, exp_oracle) < 0.95);
  CHECK(worst_ulps<double>(-746, -708, 300'007, exp_of, exp_oracle) < 0.95);  // subnormal results
}

TEMPLATE_TEST_CASE("exp_nonpositive has the bits of exp", "", float, double) {
  using T = TestType;
  const T lowest = sizeof(T) == 4 ? T(-106) : T(-760);
  std::size_t different = 0;
  const auto compare = [&](T x) {
    different += elementary::exp_nonpositive(x) == elementary::exp(x) ? 0 : 1;
  };
  for (int i = 0; i <= 4'000'001; ++i) compare(lowest * static_cast<T>(i) / T(4'000'001));
  // Every float, or as many doubles, from where the result is a subnormal number to where it is 0.
  T x = sizeof(T) == 4 ? T(-102) : T(-744);
  for (int i = 0; i < 600'000; ++i) compare(x = std::nextafter(x, lowest));
  for (const T tiny : {T(0), -std::numeric_limits<T>::denorm_min(), T(-1e-30)}) compare(tiny);
  CHECK(different == 0);
  CHECK(elementary::exp_nonpositive(-infinity<T>) == 0);
  CHECK(std::isnan(elementary::exp_nonpositive(not_a_number<T>)));
}

TEST_CASE("exp is right where the reduction changes from one power of two to the next") {
  for (int k = -151; k <= 128; ++k) {
    float x = static_cast<float>((k + 0.5) * 0.693147180559945309417);
    for (int i = 0; i < 8; ++i) x = std::nextafter(x, -infinity<float>);
    for (int i = 0; i < 16; ++i, x = std::nextafter(x, infinity<float>)) {
      CHECK(ulps(elementary::exp(x), std::exp(static_cast<long double>(x))) < 1);
    }
  }
  for (int k = -1076; k <= 1024; ++k) {
    double x = (k + 0.5) * 0.693147180559945309417;
    for (int i = 0; i < 2; ++i) x = std::nextafter(x, -infinity<double>);
    for (int i = 0; i < 4; ++i, x = std::nextafter(x, infinity<double>)) {
      CHECK(ulps(elementary::exp(x), std::exp(static_cast<long double>(x))) < 1);
    }
  }
}

TEMPLATE_TEST_CASE("exp has the right values at its edges", "", float, double) {
  using T = TestType;
  const T largest = std::numeric_limits<T>::max();
  CHECK(elementary::exp(T{0}) == T{1});
  CHECK(elementary::exp(-T{0}) == T{1});
  CHECK(elementary::exp(std::numeric_limits<T>::denorm_min()) == T{1});
  CHECK(elementary::exp(-infinity<T>) == T{0});
  CHECK(elementary::exp(-largest) == T{0});
  CHECK(elementary::exp(infinity<T>) == infinity<T>);
  CHECK(elementary::exp(largest) == infinity<T>);
  CHECK(std::isnan(elementary::exp(not_a_number<T>)));
  CHECK(std::isnan(elementary::exp(-not_a_number<T>)));
}

TEST_CASE("exp overflows and underflows at the last possible argument") {
  CHECK(std::isfinite(elementary::exp(0x1.62e42fefa39efp+9)));
  CHECK(elementary::exp(0x1.62e42fefa39f0p+9) == infinity<double>);
  CHECK(elementary::exp(-745.13) == std::numeric_limits<double>::denorm_min());
  CHECK(elementary::exp(-745.14) == 0);
  CHECK(std::isfinite(elementary::exp(0x1.62e42ep+6F)));
  CHECK(elementary::exp(0x1.62e430p+6F) == infinity<float>);
  CHECK(elementary::exp(-103.97F) == std::numeric_limits<float>::denorm_min());
  CHECK(elementary::exp(-103.98F) == 0);
}

TEST_CASE("exp gives the same bits alone and inside a vectorised loop") {
  std::vector<double> x(1003), y(1003);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = -750 + 1.5 * static_cast<double>(i);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = elementary::exp(x[i]);
  for (std::size_t i = 0; i < x.size(); ++i) {
    volatile double alone = x[i];
    CHECK(elementary::exp(double{alone}) == y[i]);
  }
}

TEST_CASE("log is within one unit in the last place over the whole range") {
  const auto log_of = [](double x) { return elementary::log(x); };
  const auto log_oracle = [](long double x) { return std::log(x); };
  CHECK(worst_ulps<double>(0.4, 2.4, 1'000'003, log_of, log_oracle) < 0.9);
  CHECK(worst_ulps<double>(1 - 1e-9, 1 + 1e-9, 10'007, log_of, log_oracle) < 0.9);
  double worst = 0;
  for (double x = std::numeric_limits<double>::denorm_min(); x < 1e308; x *= 1.0007) {
    worst = std::max(worst, ulps(elementary::log(x), std::log(static_cast<long double>(x))));
    x = std::nextafter(x, infinity<double>);  // leaves the smallest subnormals behind
  }
  CHECK(worst < 0.9);
}

TEMPLATE_TEST_CASE("log has the right values at its edges", "", float, double) {
  using T = TestType;
  CHECK(elementary::log(T{1}) == T{0});
  CHECK(elementary::log(T{0}) == -infinity<T>);
  CHECK(elementary::log(-T{0}) == -infinity<T>);
  CHECK(elementary::log(infinity<T>) == infinity<T>);
  CHECK(std::isnan(elementary::log(T{-1})));
  CHECK(std::isnan(elementary::log(-infinity<T>)));
  CHECK(std::isnan(elementary::log(not_a_number<T>)));
  const T tiny = std::numeric_limits<T>::denorm_min();
  CHECK(ulps(elementary::log(tiny), std::log(static_cast<long double>(tiny))) < 1);
  const T largest = std::numeric_limits<T>::max();
  CHECK(ulps(elementary::log(largest), std::log(static_cast<long double>(largest))) < 1);
}

TEST_CASE("log1p keeps small arguments and is within two units in the last place") {
  double worst = 0;
  for (double x = 1e-320; x < 1e308; x = std::nextafter(x * 1.001, infinity<double>)) {
    worst = std::max(worst, ulps(elementary::log1p(x), std::log1p(static_cast<long double>(x))));
    if (x < 1) {
      worst =
          std::max(worst, ulps(elementary::log1p(-x), std::log1p(-static_cast<long double>(x))));
    }
  }
  CHECK(worst < 1.6);
  CHECK(elementary::log1p(0) == 0);
  CHECK(elementary::log1p(1e-300) == 1e-300);
  CHECK(elementary::log1p(-1) == -infinity<double>);
  CHECK(elementary::log1p(infinity<double>) == infinity<double>);
  CHECK(std::isnan(elementary::log1p(-1.5)));
  CHECK(std::isnan(elementary::log1p(not_a_number<double>)));
}

TEST_CASE("log1p_positive has the bits of log1p") {
  std::size_t different = 0;
  const auto compare = [&](double x) {
    different += elementary::log1p_positive(x) == elementary::log1p(x) ? 0 : 1;
  };
  for (double x = 1e-300; x < 1e300; x *= 1.001) compare(x);
  for (int i = 0; i < 100'000; ++i) compare(i * 1e-5);
  for (const double x : {0.0, 5e-324, 1.0, 1e308}) compare(x);
  CHECK(different == 0);
}
