#include "saturation_at_init/estimates.hpp"

#include <cmath>
#include <map>
#include <string>

#include "catch.hpp"
#include "rootdk/random.hpp"

using namespace rootdk;

namespace {

constexpr int samples = 400;
constexpr std::size_t size = 500;

std::vector<double> sample(int number) {
  std::vector<double> values(size);
  Stream stream(StreamKey(1, "estimates test"), static_cast<std::uint64_t>(number));
  fill_normal(stream, std::span<double>(values));
  for (double& value : values) value = std::fabs(value) / 700;  // some below 1e-3
  return values;
}

struct Spread {
  double sum = 0, square = 0, claimed = 0;
  void add(const Estimate& estimate) {
    sum += estimate.value;
    square += estimate.value * estimate.value;
    claimed += estimate.standard_error;
  }
  double ratio() const {  // of the claimed standard error to the observed one
    const double mean = sum / samples;
    return claimed / samples / std::sqrt(square / samples - mean * mean);
  }
};

}  // namespace

TEST_CASE("standard errors are as large as estimates differ from sample to sample", "[estimates]") {
  std::map<std::string, Spread> spreads;
  for (int number = 0; number < samples; ++number) {
    std::vector<double> values = sample(number);
    for (const Estimate& estimate : estimates(values, true)) {
      spreads[std::string(estimate.statistic)].add(estimate);
    }
  }
  CHECK(spreads.size() == 9);
  for (const auto& [statistic, spread] : spreads) {
    if (statistic == "dead_1e-6" || statistic == "exact_zero") continue;  // none
    CAPTURE(statistic);
    CHECK(spread.ratio() == Approx(1).margin(0.15));
  }
}

TEST_CASE("standard errors of shares: binomial, and not 0 at 0", "[estimates]") {
  std::vector<double> ones(100, 0.0);
  CHECK(share(ones).value == 0);
  CHECK(share(ones).standard_error == Approx(std::sqrt(1 / 102.0 * (101 / 102.0) / 100)));
  for (std::size_t i = 0; i < 50; ++i) ones[i] = 1;
  CHECK(share(ones).value == 0.5);
  CHECK(share(ones).standard_error == Approx(0.05));
}

TEST_CASE("estimates of values too small to square", "[estimates]") {
  std::vector<double> large = sample(1), small = sample(1);
  for (double& value : small) value *= 0x1p-700;
  const auto expected = estimates(large, true), got = estimates(small, true);
  for (std::size_t i = 0; i < 5; ++i) {
    CHECK(got[i].value * 0x1p700 == Approx(expected[i].value));
    CHECK(got[i].standard_error * 0x1p700 == Approx(expected[i].standard_error));
  }
  CHECK(got[8].standard_error == Approx(expected[8].standard_error));
}

TEST_CASE("moments of scores in groups that share a factor", "[estimates]") {
  std::array<Spread, 3> spreads;
  for (int number = 0; number < samples; ++number) {
    Stream stream(StreamKey(2, "estimates test"), static_cast<std::uint64_t>(number));
    std::vector<std::array<double, 4>> groups(size);
    for (auto& moments : groups) {
      const double factor = 1 + stream.uniform();
      for (int j = 0; j < 8; ++j) {
        const double z = factor * stream.normal();
        moments[0] += z / 8;
        moments[1] += z * z / 8;
        moments[2] += z * z * z / 8;
        moments[3] += z * z * z * z / 8;
      }
    }
    const auto result = score_estimates(groups);
    for (std::size_t i = 0; i < 3; ++i) spreads[i].add(result[i]);
  }
  // E f^2 = 7/3 and E f^4 = 31/5 for f uniform on (1, 2).
  CHECK(spreads[0].sum / samples == Approx(0).margin(0.01));
  CHECK(spreads[1].sum / samples == Approx(7 / 3.0).epsilon(0.01));
  CHECK(spreads[2].sum / samples == Approx(3 * 6.2 / (49 / 9.0)).epsilon(0.01));
  for (const Spread& spread : spreads) CHECK(spread.ratio() == Approx(1).margin(0.15));
}
