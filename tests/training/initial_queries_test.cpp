#include "rootdk/training/initial_queries.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "catch.hpp"
#include "saturation_at_init/estimates.hpp"
#include "support/saturation_table.hpp"

using namespace rootdk;

namespace {

bool same(const QueryMeasurement& a, const QueryMeasurement& b) {
  for (const MeasuredQuantity& quantity : measured_quantities) {
    if (a.*quantity.value != b.*quantity.value) return false;
  }
  return true;
}

double factor(const std::string& scale, int d) {
  return scale == "1" ? 1 : scale == "rsqrt" ? 1 / std::sqrt(d) : 1.0 / d;
}

}  // namespace

TEST_CASE("initial queries: a query does not depend on those before it", "[initial]") {
  InitialQueries<double> forward(8, 5, 3), backward(8, 5, 3), other_seed(8, 5, 4);
  std::vector<QueryMeasurement> measured;
  for (std::uint64_t query = 0; query < 6; ++query) {
    forward.draw(query);
    forward.measure(2);
    measured.push_back(forward.measure(0.5));
  }
  for (std::uint64_t query = 6; query-- > 0;) {
    backward.draw(query);
    CHECK(same(backward.measure(0.5), measured[query]));
    other_seed.draw(query);
    CHECK_FALSE(same(other_seed.measure(0.5), measured[query]));
  }
}

TEST_CASE("initial queries: scales share the draws, float ones are the rounded", "[initial]") {
  InitialQueries<double> queries(16, 64, 1);
  InitialQueries<float> single(16, 64, 1);
  queries.draw(7);
  single.draw(7);
  queries.measure(1);
  single.measure(1);
  const std::vector<double> raw(queries.scores().begin(), queries.scores().end());
  queries.measure(0.125);
  for (std::size_t j = 0; j < raw.size(); ++j) {
    CHECK(queries.scores()[j] == raw[j] / 8);
    CHECK(single.scores()[j] == Approx(raw[j]).margin(1e-4));
    CHECK(single.scores()[j] == static_cast<double>(static_cast<float>(single.scores()[j])));
  }
  double total = 0, before = 1;
  for (const double weight : queries.sorted_weights()) {
    CHECK(weight <= before);
    before = weight;
    total += weight;
  }
  CHECK(total == Approx(1));
}

TEST_CASE("a float row: first the winner's weight is 1, then its gradient 0, then all",
          "[initial]") {
  Float32Row row(3);
  const std::vector<float> cotangent{0.3F, -1.2F, 0.8F};
  const auto at = [&](double gap) {
    return row.run(std::vector<double>{-gap - 1, 0, -gap}, cotangent);
  };
  CHECK_FALSE(at(10).weight_one);
  CHECK_FALSE(at(10).winner_zero);
  CHECK_FALSE(at(16.2).weight_one);  // the two losers have 1.37 exp(-gap), and 2^-24 is the limit
  CHECK(at(17.1).weight_one);
  CHECK(at(20).winner_zero);
  CHECK_FALSE(at(20).row_zero);
  CHECK_FALSE(at(103).row_zero);
  CHECK(at(104).row_zero);
}

// E sum_j p_j z_j = E s^2 |q|^2 tr J, integrating by parts over the normal keys: for any d_k and s,
// and without a constant.
TEST_CASE("initial queries obey Stein's identity", "[initial]") {
  for (const int d : {1, 8, 64}) {
    InitialQueries<double> queries(16, d, 5);
    for (const double s : {1.0, 1 / std::sqrt(d)}) {
      double sum = 0, square = 0;
      constexpr int count = 5000;
      for (int i = 0; i < count; ++i) {
        queries.draw(static_cast<std::uint64_t>(i));
        const double trace = queries.measure(s).jacobian_trace;
        double length = 0, mean = 0;
        for (const double x : queries.query()) length += x * x;
        std::vector<double> z(queries.scores().begin(), queries.scores().end());
        std::sort(z.begin(), z.end(), std::greater<>());
        const auto weights = queries.sorted_weights();
        for (std::size_t j = 0; j < z.size(); ++j) mean += weights[j] * z[j];
        const double difference = mean - s * s * length * trace;
        sum += difference;
        square += difference * difference;
      }
      const double mean = sum / count;
      CAPTURE(d, s);
      CHECK(std::fabs(mean) < 4 * std::sqrt((square / count - mean * mean) / count));
    }
  }
}

TEST_CASE("initial queries agree with an independent Monte Carlo", "[initial]") {
  const SaturationTable table;
  const std::pair<const char*, double QueryMeasurement::*> columns[] = {
      {"JF", &QueryMeasurement::jacobian_norm},   {"J2", &QueryMeasurement::jacobian_spectral},
      {"trJ", &QueryMeasurement::jacobian_trace}, {"pmax", &QueryMeasurement::p_max},
      {"H", &QueryMeasurement::entropy},          {"Neff", &QueryMeasurement::effective_keys}};
  for (const auto& row : table.rows()) {
    const int n = std::stoi(row.at("n")), d = std::stoi(row.at("d"));
    if (d > 64) continue;
    InitialQueries<double> queries(n, d, 1);
    std::vector<QueryMeasurement> measured;
    for (std::uint64_t query = 0; query < 2000; ++query) {
      queries.draw(query);
      measured.push_back(queries.measure(factor(row.at("scale"), d)));
    }
    for (const auto& [column, member] : columns) {
      std::vector<double> values;
      for (const QueryMeasurement& each : measured) values.push_back(each.*member);
      const std::string name = column;
      for (const Estimate& estimate : estimates(values, false)) {
        const bool is_mean = estimate.statistic == "mean";
        if (!is_mean && estimate.statistic != "median") continue;
        const double expected = number(row, name + (is_mean ? "_mean" : "_med"));
        const double error = number(row, name + (is_mean ? "_se" : "_medse"));
        CAPTURE(n, d, row.at("scale"), name, is_mean, estimate.value, expected);
        CHECK(std::fabs(estimate.value - expected) <
              4 * std::hypot(error, estimate.standard_error));
      }
    }
  }
}
