#include "rootdk/training/initial_queries.hpp"

#include <algorithm>
#include <functional>

#include "rootdk/elementary.hpp"
#include "rootdk/probes/concentration.hpp"
#include "rootdk/probes/softmax_jacobian.hpp"
#include "rootdk/probes/softmax_jacobian_spectrum.hpp"

namespace rootdk {
namespace {

std::size_t count(Index extent) { return static_cast<std::size_t>(extent); }

// x . y in 16 sums that are added at the end: a fixed order, and it vectorises.
template <class T>
T dot(const T* x, const T* y, std::size_t length) {
  constexpr std::size_t lanes = 16;
  T sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= length; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += x[i + lane] * y[i + lane];
  }
  for (; i < length; ++i) sums[i % lanes] += x[i] * y[i];
  T total = 0;
  for (const T sum : sums) total += sum;
  return total;
}

}  // namespace

template <class T>
InitialQueries<T>::InitialQueries(Index n_tokens, Index d_k, std::uint64_t seed)
    : key_(seed, "saturation_at_init", {n_tokens, d_k}),
      q_(count(d_k)),
      keys_(count(n_tokens) * count(d_k)),
      raw_(count(n_tokens)),
      cotangent_(count(n_tokens)),
      z_(count(n_tokens)),
      scratch_(count(n_tokens)),
      gradient_(count(n_tokens), count(d_k)),
      float32_(count(n_tokens)) {}

template <class T>
void InitialQueries<T>::draw(std::uint64_t query) {
  enum Part : std::uint64_t { vectors, loss };
  Stream stream(key_, query, vectors);
  fill_normal(stream, std::span<T>(q_));
  fill_normal(stream, std::span<T>(keys_));
  for (std::size_t j = 0; j < raw_.size(); ++j) {
    raw_[j] = dot(q_.data(), &keys_[j * q_.size()], q_.size());
  }
  Stream loss_stream(key_, query, loss);
  target_ = static_cast<std::size_t>(loss_stream.uniform_index(raw_.size()));
  fill_normal(loss_stream, std::span<float>(cotangent_));
}

template <class T>
QueryMeasurement InitialQueries<T>::measure(double scale) {
  const T s = static_cast<T>(scale);
  for (std::size_t j = 0; j < z_.size(); ++j) z_[j] = static_cast<double>(s * raw_[j]);
  const std::span<const double> z(z_);
  const probes::SoftmaxTail tail = probes::softmax_tail(z);
  const probes::Concentration row = probes::concentration(tail);
  const auto gradient = gradient_(z, std::span<const T>(keys_), scale, target_);
  const Float32Row::Outcome in_float = float32_.run(z, cotangent_);
  const auto indicator = [](bool happened) { return happened ? 1.0 : 0.0; };
  return {.jacobian_norm = probes::softmax_jacobian_norm(tail),
          .jacobian_spectral = probes::softmax_jacobian_spectral(z, tail, scratch_),
          .jacobian_trace = probes::softmax_jacobian_trace(tail),
          .p_max = row.p_max,
          .entropy = row.entropy,
          .effective_keys = row.effective_keys,
          .top_two_gap = row.top_two_gap,
          .grad_lin = gradient.lin,
          .grad_mse = gradient.mse,
          .grad_attn_ce = gradient.attn_ce,
          .weight_one = indicator(in_float.weight_one),
          .winner_zero = indicator(in_float.winner_zero),
          .row_zero = indicator(in_float.row_zero)};
}

template <class T>
std::span<const double> InitialQueries<T>::sorted_weights() {
  std::copy(z_.begin(), z_.end(), scratch_.begin());
  std::sort(scratch_.begin(), scratch_.end(), std::greater<>());
  const double largest = scratch_.front();
  double total = 0;
  for (double& weight : scratch_) total += weight = elementary::exp(weight - largest);
  for (double& weight : scratch_) weight /= total;
  return scratch_;
}

template <class T>
std::array<double, 4> InitialQueries<T>::score_moments() const {
  std::array<double, 4> sums{};
  for (const double z : z_) {
    double power = 1;
    for (double& sum : sums) sum += power *= z;
  }
  for (double& sum : sums) sum /= static_cast<double>(z_.size());
  return sums;
}

template class InitialQueries<float>;
template class InitialQueries<double>;

}  // namespace rootdk
