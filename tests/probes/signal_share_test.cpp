#include "rootdk/probes/signal_share.hpp"

#include <cmath>
#include <vector>

#include "catch.hpp"
#include "rootdk/random.hpp"

using rootdk::Stream;
using rootdk::StreamKey;
using rootdk::probes::SignalShare;

namespace {

using Gradients = std::vector<std::vector<double>>;

double share_of(const Gradients& gradients) {
  SignalShare meter(gradients.front().size());
  for (const auto& g : gradients) meter.add(std::span<const double>(g));
  return meter.share();
}

// K gradients mu + noise, of 20 entries.
Gradients draw(std::size_t K, double mu, std::uint64_t seed) {
  Stream stream(StreamKey(seed, "test"));
  Gradients gradients(K, std::vector<double>(20));
  for (auto& g : gradients) {
    for (double& x : g) x = mu + stream.normal();
  }
  return gradients;
}

}  // namespace

TEST_CASE("signal share: the mean product of two different batches over the mean square",
          "[probes]") {
  // |E g|^2 = E <g, g'> for independent g, g': the average over all pairs k != l has no bias and is
  // the same estimate.
  const Gradients g = draw(7, 0.4, 1);
  double pairs = 0, squares = 0;
  for (std::size_t k = 0; k < 7; ++k) {
    for (std::size_t l = 0; l < 7; ++l) {
      double product = 0;
      for (std::size_t i = 0; i < 20; ++i) product += g[k][i] * g[l][i];
      (k == l ? squares : pairs) += product;
    }
  }
  CHECK(share_of(g) == Approx((pairs / 42) / (squares / 7)).epsilon(1e-13));
}

TEST_CASE("signal share: the same gradient every time is all signal", "[probes]") {
  CHECK(share_of({{3, -4}, {3, -4}, {3, -4}}) == Approx(1).epsilon(1e-15));
  // Two opposite ones: |mean|^2 = 0, and (0 - 1) / (2 - 1) = -1, the least there is for K = 2.
  CHECK(share_of({{1, 2}, {-1, -2}}) == -1);
  CHECK(share_of({{1, 0}, {0, 1}}) == 0);
}

TEST_CASE("signal share: has no bias that shrinks with more batches", "[probes]") {
  // E|g|^2 = 20 (mu^2 + 1), |E g|^2 = 20 mu^2: with mu = 1/2 a share of 0.2, at K = 3 as at K = 30.
  for (const std::size_t K : {std::size_t{3}, std::size_t{30}}) {
    double pairs = 0, squares = 0;  // a ratio of means, each without bias
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      const Gradients g = draw(K, 0.5, seed);
      double square = 0;
      for (const auto& one : g) {
        for (const double x : one) square += x * x / static_cast<double>(K);
      }
      pairs += share_of(g) * square;
      squares += square;
    }
    CHECK(pairs / squares == Approx(0.2).margin(0.02));
  }
}

TEST_CASE("signal share: floats are summed in double, and clear() starts over", "[probes]") {
  SignalShare meter(2);
  const std::vector<float> tiny{1e-30f, 2e-30f}, other{2e-30f, 1e-30f};
  meter.add(std::span<const float>(other));
  meter.clear();
  CHECK(std::isnan(meter.share()));
  meter.add(std::span<const float>(tiny));
  CHECK(std::isnan(meter.share()));
  meter.add(std::span<const float>(tiny));
  CHECK(meter.share() == Approx(1).epsilon(1e-12));
  meter.add(std::span<const float>(other));
  CHECK(meter.share() == Approx((5 + 4 + 4) / 15.0).epsilon(1e-6));  // pairs 5, 4, 4 of squares 5
  CHECK_THROWS_AS(meter.add(std::span<const float>(tiny).first(1)), std::invalid_argument);
}

TEST_CASE("signal share: no number without a gradient or with one that is not finite", "[probes]") {
  CHECK(std::isnan(share_of({{0, 0}, {0, 0}})));
  CHECK(std::isnan(share_of({{1, INFINITY}, {1, 1}})));
  CHECK(std::isnan(share_of({{1, NAN}, {1, 1}})));
}
