#include "rootdk/probes/query_gradient.hpp"

#include <algorithm>
#include <cmath>

#include "rootdk/elementary.hpp"
#include "rootdk/probes/gradient_statistics.hpp"

namespace rootdk::probes {
namespace {

double length(const std::vector<double>& vector) { return norm(std::span<const double>(vector)); }

// |k - k_winner - mean|^2, in eight sums that are added at the end: a fixed order, and it
// vectorises.
template <class T>
double square_distance(const T* key, const T* winner, const double* mean, std::size_t count) {
  constexpr std::size_t lanes = 8;
  double sums[lanes] = {};
  const auto add = [&](std::size_t lane, std::size_t i) {
    const double x = static_cast<double>(key[i]) - static_cast<double>(winner[i]) - mean[i];
    sums[lane] += x * x;
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) add(lane, i + lane);
  }
  for (; i < count; ++i) add(i % lanes, i);
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

}  // namespace

QueryGradient::QueryGradient(std::size_t n, std::size_t d_k)
    : n_(n),
      d_k_(d_k),
      p_(n),
      dz_mse_(n),
      dz_ce_(n),
      mean_(d_k),
      mse_(d_k),
      ce_(d_k),
      lengths_(n) {}

void QueryGradient::weigh(std::span<const double> z) {
  winner_ = static_cast<std::size_t>(std::max_element(z.begin(), z.end()) - z.begin());
  for (std::size_t j = 0; j < n_; ++j) p_[j] = elementary::exp(z[j] - z[winner_]);
  rest_ = 0;
  for (std::size_t j = 0; j < n_; ++j) rest_ += j == winner_ ? 0 : p_[j];
  const double total = 1 + rest_;
  for (double& weight : p_) weight /= total;
  rest_ /= total;
}

// dz_j = p_j (a_j - sum_i p_i a_i) with a = p - e_tau, and p - e_tau itself.
void QueryGradient::differentiate(std::size_t target) {
  const auto a = [&](std::size_t j) {
    if (j != target) return p_[j];
    return j == winner_ ? -rest_ : p_[j] - 1;
  };
  double mean = 0;
  for (std::size_t j = 0; j < n_; ++j) mean += p_[j] * a(j);
  for (std::size_t j = 0; j < n_; ++j) {
    dz_mse_[j] = p_[j] * (a(j) - mean);
    dz_ce_[j] = a(j);
  }
}

template <class T>
void QueryGradient::sum_keys(std::span<const T> keys) {
  std::fill(mean_.begin(), mean_.end(), 0);
  std::fill(mse_.begin(), mse_.end(), 0);
  std::fill(ce_.begin(), ce_.end(), 0);
  const T* winner = &keys[winner_ * d_k_];
  for (std::size_t j = 0; j < n_; ++j) {
    if (j == winner_) continue;
    const T* key = &keys[j * d_k_];
    const double p = p_[j], mse = dz_mse_[j], ce = dz_ce_[j];
    for (std::size_t i = 0; i < d_k_; ++i) {
      const double lead = static_cast<double>(key[i]) - static_cast<double>(winner[i]);
      mean_[i] += p * lead;
      mse_[i] += mse * lead;
      ce_[i] += ce * lead;
    }
  }
}

// mean_ is kbar - k_winner.
template <class T>
double QueryGradient::lin_norm(std::span<const T> keys) {
  const T* winner = &keys[winner_ * d_k_];
  for (std::size_t j = 0; j < n_; ++j) {
    lengths_[j] =
        j == winner_
            ? p_[j] * length(mean_)
            : p_[j] * std::sqrt(square_distance(&keys[j * d_k_], winner, mean_.data(), d_k_));
  }
  return length(lengths_);
}

template <class T>
QueryGradientNorms QueryGradient::operator()(std::span<const double> z, std::span<const T> keys,
                                             double scale, std::size_t target) {
  weigh(z);
  differentiate(target);
  sum_keys(keys);
  const double s = std::fabs(scale);
  return {s * lin_norm(keys), s * length(mse_), s * length(ce_)};
}
template QueryGradientNorms QueryGradient::operator()(std::span<const double>,
                                                      std::span<const float>, double, std::size_t);
template QueryGradientNorms QueryGradient::operator()(std::span<const double>,
                                                      std::span<const double>, double, std::size_t);

}  // namespace rootdk::probes
