#include "rootdk/random.hpp"

#include <Random123/philox.h>
#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <set>
#include <vector>

#include "catch.hpp"

using namespace rootdk;

namespace {

std::vector<std::uint64_t> first_words(Stream stream, int count = 16) {
  std::vector<std::uint64_t> words;
  for (int i = 0; i < count; ++i) words.push_back(stream.bits());
  return words;
}

// sup |F_N - F| times sqrt(N). P(above 2.23) = 2 exp(-2 * 2.23^2) = 1e-4 (Kolmogorov).
template <class Cdf>
double kolmogorov_distance(std::vector<double> sample, Cdf cdf) {
  std::sort(sample.begin(), sample.end());
  const auto count = static_cast<double>(sample.size());
  double distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double F = cdf(sample[i]);
    const auto below = static_cast<double>(i);
    distance = std::max({distance, F - below / count, (below + 1) / count - F});
  }
  return distance * std::sqrt(count);
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

}  // namespace

TEST_CASE("the generator gives the published known answers of Philox4x64-10") {
  using Words = r123::Philox4x64::ctr_type;
  const r123::Philox4x64 philox;
  CHECK(philox({{0, 0, 0, 0}}, {{0, 0}}) ==
        Words{{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}});
  const std::uint64_t ones = ~std::uint64_t{0};
  CHECK(philox({{ones, ones, ones, ones}}, {{ones, ones}}) ==
        Words{{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}});
  CHECK(philox({{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89}},
               {{0x452821e638d01377, 0xbe5466cf34e90c6c}}) ==
        Words{{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}});
}

TEST_CASE("a stream is Philox with block and step and part in the counter") {
  StreamKey zero;
  CHECK(first_words(Stream(zero), 4) ==
        std::vector<std::uint64_t>{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b,
                                   0x7e68b68aec7ba23b});
  const StreamKey key(7, "test", {1, 2});
  const r123::Philox4x64 philox;
  const auto words = first_words(Stream(key, 5, 9), 8);
  for (std::uint64_t block = 0; block < 2; ++block) {
    const auto expected = philox({{block, 5, 9, 0}}, {{7, key.label}});
    for (std::size_t i = 0; i < 4; ++i) CHECK(words[block * 4 + i] == expected[i]);
  }
}

// Computed apart from this code. Every number of a run depends on them.
TEST_CASE("the label of a purpose never changes") {
  CHECK(StreamKey(1, "").label == 0x813f0174a2367c13);
  CHECK(StreamKey(1, "lookup/train", {64, 32, 8, 256}).label == 0xe5f4c5ffa36ce204);
  CHECK(StreamKey(1, "lookup/train", {-1}).label == 0x7d07de637213ea55);
}

TEST_CASE("streams do not depend on the order in which they are drawn from") {
  const StreamKey key(3, "order");
  const auto alone_1 = first_words(Stream(key, 1));
  const auto alone_2 = first_words(Stream(key, 2));
  Stream one(key, 1), two(key, 2);
  for (std::size_t i = 0; i < 16; ++i) {
    CHECK(two.bits() == alone_2[i]);
    CHECK(one.bits() == alone_1[i]);
  }
}

TEST_CASE("another seed or purpose or parameter or step or part is another stream") {
  const std::uint64_t high = std::uint64_t{1} << 63;
  const std::vector<Stream> streams = {
      Stream(StreamKey(1, "a", {1, 2}), 0),
      Stream(StreamKey(2, "a", {1, 2}), 0),
      Stream(StreamKey(1 + high, "a", {1, 2}), 0),
      Stream(StreamKey(1 + (std::uint64_t{1} << 32), "a", {1, 2}), 0),
      Stream(StreamKey(1, "b", {1, 2}), 0),
      Stream(StreamKey(1, "ab", {1, 2}), 0),
      Stream(StreamKey(1, "a", {2, 1}), 0),
      Stream(StreamKey(1, "a", {1}), 0),
      Stream(StreamKey(1, "a", {1, 2, 0}), 0),
      Stream(StreamKey(1, "a"), 0),
      Stream(StreamKey(1, "", {1, 2}), 0),
      Stream(StreamKey(1, "a", {1, 2}), 1),
      Stream(StreamKey(1, "a", {1, 2}), high),
      Stream(StreamKey(1, "a", {1, 2}), 0, 1),
      Stream(StreamKey(1, "a", {1, 2}), 0, high)};
  std::set<std::uint64_t> words;
  for (const Stream& stream : streams) {
    for (const std::uint64_t word : first_words(stream)) words.insert(word);
  }
  CHECK(words.size() == 16 * streams.size());  // no word twice
}

TEST_CASE("uniform is uniform on the open interval") {
  Stream stream(StreamKey(11, "uniform"));
  std::vector<double> sample(100'000);
  for (double& u : sample) u = stream.uniform();
  CHECK(*std::min_element(sample.begin(), sample.end()) > 0);
  CHECK(*std::max_element(sample.begin(), sample.end()) < 1);
  CHECK(kolmogorov_distance(sample, [](double x) { return x; }) < 2.23);
}

TEST_CASE("the unit interval is open and symmetric") {
  CHECK(open_unit_interval(0) == 0x1p-53);
  CHECK(open_unit_interval(~std::uint64_t{0}) == 1 - 0x1p-53);
  CHECK(open_unit_interval(std::uint64_t{1} << 63) == 0.5 + 0x1p-53);
  for (const std::uint64_t bits : first_words(Stream(StreamKey(19, "mirror")))) {
    CHECK(open_unit_interval(~bits) == 1 - open_unit_interval(bits));
  }
}

TEST_CASE("uniform_index is unbiased even where 2^64 is far from a multiple of n") {
  Stream stream(StreamKey(12, "index"));
  SECTION("every value of a small range equally often") {
    // chi-square with 6 degrees of freedom: P(above 27.9) = 1e-4
    std::vector<int> count(7);
    for (int i = 0; i < 70'000; ++i) ++count[stream.uniform_index(7)];
    double chi_square = 0;
    for (const int c : count) chi_square += (c - 10'000.0) * (c - 10'000.0) / 10'000.0;
    CHECK(chi_square < 27.9);
  }
  SECTION("three quarters of the full range") {
    // Without rejection a quarter of the values would come up twice as often: those divisible by 3
    // would be half of all draws, not a third. Standard error of the share 0.0033.
    const std::uint64_t n = (std::uint64_t{3} << 62);
    int divisible = 0;
    for (int i = 0; i < 20'000; ++i) {
      const std::uint64_t value = stream.uniform_index(n);
      REQUIRE(value < n);
      divisible += value % 3 == 0;
    }
    CHECK(divisible / 20'000.0 == Approx(1 / 3.0).margin(4 * 0.0033));
  }
  SECTION("one value") { CHECK(stream.uniform_index(1) == 0); }
}

TEST_CASE("normal_quantile agrees with Boost.Math in the body and in the tails") {
  const auto oracle = [](long double p) {
    return static_cast<double>(-std::sqrt(2.0L) * boost::math::erfc_inv(2 * p));
  };
  double worst = 0;
  const auto compare = [&](double p) {
    const double want = oracle(p);
    worst = std::max(worst, std::fabs(normal_quantile(p) - want) / std::fabs(want));
  };
  for (int i = 1; i < 20'000; ++i) {
    if (i != 10'000) compare(i / 20'000.0);
  }
  for (double p = 0x1p-1022; p < 0.5; p *= 1.01) compare(p);       // all three branches
  for (double p = 0x1p-53; p < 0.5; p *= 1.07) compare(1 - p);     // the upper tail
  for (double p = 0x1p-40; p < 0.25; p *= 1.07) compare(0.5 + p);  // next to the centre
  CHECK(worst < 1e-14);
  CHECK(normal_quantile(0.5) == 0);
  CHECK(normal_quantile(0x1p-53) == -normal_quantile(1 - 0x1p-53));
}

TEST_CASE("normal deviates have the moments and the distribution of a standard normal") {
  const int count = 200'000;
  std::vector<double> sample(count);
  Stream stream(StreamKey(13, "normal"));
  fill_normal(stream, std::span<double>(sample));
  double mean = 0, square = 0, cube = 0, fourth = 0;
  for (const double x : sample) {
    mean += x / count;
    square += x * x / count;
    cube += x * x * x / count;
    fourth += x * x * x * x / count;
  }
  // Four standard errors: the variances of x, x^2, x^3, x^4 are 1, 2, 15, 96.
  const double root = std::sqrt(static_cast<double>(count));
  CHECK(std::fabs(mean) < 4 / root);
  CHECK(std::fabs(square - 1) < 4 * std::sqrt(2.0) / root);
  CHECK(std::fabs(cube) < 4 * std::sqrt(15.0) / root);
  CHECK(std::fabs(fourth - 3) < 4 * std::sqrt(96.0) / root);
  CHECK(kolmogorov_distance(sample, normal_cdf) < 2.23);
}

TEST_CASE("fill_normal gives the bits of one normal after the other") {
  Stream filled(StreamKey(18, "block")), single(StreamKey(18, "block"));
  std::vector<double> values(1001);
  fill_normal(filled, std::span<double>(values).first(3));
  fill_normal(filled, std::span<double>(values).subspan(3));
  for (const double value : values) CHECK(value == single.normal());
  CHECK(filled.bits() == single.bits());
}

TEST_CASE("float normals are the double ones rounded") {
  const StreamKey key(14, "precision");
  std::vector<double> wide(101);
  std::vector<float> narrow(101);
  Stream first(key), second(key);
  fill_normal(first, std::span<double>(wide), 0.1);
  fill_normal(second, std::span<float>(narrow), 0.1);
  for (std::size_t i = 0; i < wide.size(); ++i) CHECK(narrow[i] == static_cast<float>(wide[i]));
}

TEST_CASE("choose_distinct draws every ordered choice equally often") {
  Stream stream(StreamKey(15, "choose"));
  std::vector<std::int32_t> pool(5, -7), chosen(2);
  std::vector<int> count(25);
  for (int i = 0; i < 40'000; ++i) {
    choose_distinct(stream, pool, chosen);
    REQUIRE(chosen[0] != chosen[1]);
    ++count[static_cast<std::size_t>(chosen[0] * 5 + chosen[1])];
  }
  // 20 ordered pairs, 2000 expected of each; 19 degrees of freedom: P(above 50.8) = 1e-4
  double chi_square = 0;
  for (int a = 0; a < 5; ++a) {
    for (int b = 0; b < 5; ++b) {
      const int c = count[static_cast<std::size_t>(a * 5 + b)];
      if (a != b) chi_square += (c - 2000.0) * (c - 2000.0) / 2000.0;
    }
  }
  CHECK(chi_square < 50.8);
}

TEST_CASE("choose_distinct can take everything but not more") {
  Stream stream(StreamKey(16, "choose"));
  std::vector<std::int32_t> pool(9), chosen(9);
  choose_distinct(stream, pool, chosen);
  std::sort(chosen.begin(), chosen.end());
  for (std::int32_t i = 0; i < 9; ++i) CHECK(chosen[static_cast<std::size_t>(i)] == i);
  pool.resize(8);
  CHECK_THROWS_AS(choose_distinct(stream, pool, chosen), std::invalid_argument);
}
