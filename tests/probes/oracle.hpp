#pragma once
#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "rootdk/random.hpp"

// One row of softmax by its definitions, in long double, whose exponents reach far below any
// square that occurs here. 1 - p_i is the sum of the others, and J is written out entry by entry.
struct RowOracle {
  std::vector<long double> p;

  template <class T>
  explicit RowOracle(std::span<const T> scores) {
    long double top = scores[0], total = 0;
    for (const T z : scores) top = std::max<long double>(top, z);
    for (const T z : scores) {
      p.push_back(std::exp(static_cast<long double>(z) - top));
      total += p.back();
    }
    for (long double& weight : p) weight /= total;
  }
  long double others(std::size_t i) const {
    long double sum = 0;
    for (std::size_t j = 0; j < p.size(); ++j) sum += j == i ? 0 : p[j];
    return sum;
  }
  double p_max() const { return static_cast<double>(*std::max_element(p.begin(), p.end())); }
  double entropy() const {
    long double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      if (p[i] > 0) sum -= p[i] * (p[i] > 0.5L ? std::log1p(-others(i)) : std::log(p[i]));
    }
    return static_cast<double>(sum);
  }
  double effective_keys() const {
    long double sum = 0;
    for (const long double weight : p) sum += weight * weight;
    return static_cast<double>(1 / sum);
  }
  double jacobian_norm() const {
    long double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) {
      for (std::size_t j = 0; j < p.size(); ++j) {
        const long double entry = p[i] * (i == j ? others(i) : -p[j]);
        sum += entry * entry;
      }
    }
    return static_cast<double>(std::sqrt(sum));
  }
};

inline double relative_error(double got, double want) {
  if (got == want) return 0;
  const double error = std::fabs(got - want) / std::fabs(want);
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

// n scores N(0, spread^2), the same for both precisions up to rounding.
template <class T>
std::vector<T> random_scores(std::size_t n, double spread, std::uint64_t step) {
  std::vector<T> scores(n);
  rootdk::Stream stream(rootdk::StreamKey(17, "probe test"), step);
  rootdk::fill_normal(stream, std::span<T>(scores), spread);
  return scores;
}
