#include "rootdk/probes/query_gradient.hpp"

#include <cmath>
#include <vector>

#include "catch.hpp"
#include "probes/oracle.hpp"

using namespace rootdk::probes;

namespace {

struct Row {
  std::vector<double> z, keys;
  std::size_t n, d;

  Row(std::size_t count, std::size_t width, double spread, std::uint64_t step)
      : z(random_scores<double>(count, spread, step)),
        keys(random_scores<double>(count * width, 1, step + 1000)),
        n(count),
        d(width) {}
};

// By the definitions, in long double, J written out; 1 - p_i is the sum of the others.
struct GradientOracle {
  const Row& row;
  RowOracle weights;
  std::size_t target;

  GradientOracle(const Row& of, std::size_t tau)
      : row(of), weights(std::span<const double>(of.z)), target(tau) {}

  long double J(std::size_t i, std::size_t j) const {
    return i == j ? weights.p[i] * weights.others(i) : -weights.p[i] * weights.p[j];
  }
  long double a(std::size_t j) const {
    return j == target ? -weights.others(j) : weights.p[j];  // p - e_tau
  }
  long double square_of_keys(const std::vector<long double>& dz) const {
    long double square = 0;
    for (std::size_t i = 0; i < row.d; ++i) {
      long double sum = 0;
      for (std::size_t j = 0; j < row.n; ++j) sum += dz[j] * row.keys[j * row.d + i];
      square += sum * sum;
    }
    return square;
  }
  double lin() const {
    long double square = 0;
    for (std::size_t i = 0; i < row.n; ++i) {
      std::vector<long double> column;
      for (std::size_t j = 0; j < row.n; ++j) column.push_back(J(j, i));
      square += square_of_keys(column);
    }
    return static_cast<double>(std::sqrt(square));
  }
  double mse() const {
    std::vector<long double> dz(row.n, 0);
    for (std::size_t i = 0; i < row.n; ++i) {
      for (std::size_t j = 0; j < row.n; ++j) dz[i] += J(i, j) * a(j);
    }
    return static_cast<double>(std::sqrt(square_of_keys(dz)));
  }
  double attn_ce() const {
    std::vector<long double> dz;
    for (std::size_t j = 0; j < row.n; ++j) dz.push_back(a(j));
    return static_cast<double>(std::sqrt(square_of_keys(dz)));
  }
};

QueryGradientNorms measured(const Row& row, double scale, std::size_t target) {
  return QueryGradient(row.n, row.d)(row.z, std::span<const double>(row.keys), scale, target);
}

}  // namespace

TEST_CASE("gradient of a query under the probe losses: by the definitions", "[probes]") {
  std::uint64_t step = 0;
  for (const std::size_t n : std::vector<std::size_t>{2, 3, 16, 33}) {
    for (const std::size_t d : std::vector<std::size_t>{1, 4, 19}) {
      for (const double spread : {0.1, 1.0, 5.0}) {
        const Row row(n, d, spread, step++);
        const std::size_t target = step % n;
        const GradientOracle oracle(row, target);
        const auto [lin, mse, attn_ce] = measured(row, -0.25, target);
        CAPTURE(n, d, spread);
        CHECK(relative_error(lin, oracle.lin() / 4) < 1e-11);
        CHECK(relative_error(mse, oracle.mse() / 4) < 1e-10);
        CHECK(relative_error(attn_ce, oracle.attn_ce() / 4) < 1e-11);
      }
    }
  }
}

// Two keys: |dL/dq| is |k_1 - k_2| times sqrt(2) p q (lin), p q |a_1 - a_2| (mse), and the weight
// that is missing on the target (attn_ce).
TEST_CASE("gradient of a query under the probe losses: no digit is lost when saturated",
          "[probes]") {
  for (const double gap : {0.0, 1.0, 20.0, 40.0, 200.0, 340.0}) {
    Row row(2, 7, 1, 5);
    row.z = {-gap, 0};
    long double square = 0;
    for (std::size_t i = 0; i < 7; ++i) {
      const long double lead = static_cast<long double>(row.keys[i]) - row.keys[7 + i];
      square += lead * lead;
    }
    const long double x = std::exp(-static_cast<long double>(gap)), p = 1 / (1 + x),
                      q = x / (1 + x);
    const auto far = std::sqrt(square);
    const auto winner = measured(row, 1, 1), loser = measured(row, 1, 0);
    CAPTURE(gap);
    CHECK(relative_error(winner.lin, static_cast<double>(far * std::sqrt(2.0L) * p * q)) < 1e-13);
    CHECK(relative_error(winner.mse, static_cast<double>(far * p * q * 2 * q)) < 1e-13);
    CHECK(relative_error(loser.mse, static_cast<double>(far * p * q * 2 * p)) < 1e-13);
    CHECK(relative_error(winner.attn_ce, static_cast<double>(far * q)) < 1e-13);
    CHECK(relative_error(loser.attn_ce, static_cast<double>(far * p)) < 1e-13);
  }
}
