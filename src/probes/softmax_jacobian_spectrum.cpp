#include "rootdk/probes/softmax_jacobian_spectrum.hpp"

#include <algorithm>

#include "rootdk/elementary.hpp"

namespace rootdk::probes {
namespace {

// f_j = exp(z_j - z_2) of all keys but the winner (the first of several).
template <class T>
std::span<double> relative_losers(std::span<const T> scores, const SoftmaxTail& tail,
                                  std::span<double> losers) {
  const auto winner =
      static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  const double second = static_cast<double>(scores[winner]) - tail.top_two_gap;
  std::size_t count = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (j != winner) losers[count++] = elementary::exp(static_cast<double>(scores[j]) - second);
  }
  return losers.first(count);
}

}  // namespace

double softmax_jacobian_trace(const SoftmaxTail& tail) {
  if (tail.row == SoftmaxTail::Row::empty) return 0;
  if (tail.row == SoftmaxTail::Row::not_a_number) return std::numeric_limits<double>::quiet_NaN();
  const double T = tail.T();
  return tail.e_2 / (T * T) * (2 * tail.F_1 + tail.e_2 * (tail.F_1 * tail.F_1 - tail.F_2));
}

template <class T>
double softmax_jacobian_spectral(std::span<const T> scores, const SoftmaxTail& tail,
                                 std::span<double> losers) {
  if (tail.row == SoftmaxTail::Row::not_a_number) return std::numeric_limits<double>::quiet_NaN();
  if (tail.row == SoftmaxTail::Row::empty || tail.e_2 == 0) return 0;
  const double total = tail.T();
  const double middle = tail.F_1 / total;  // p_1 (1 - p_1) in units of e_2 / T
  const std::span<const double> f = relative_losers(scores, tail, losers);
  const auto is_below_root = [&](double y) {
    double sum = 0;
    for (const double each : f) sum += each * each / (y - each);
    return (y - middle) / (1 - tail.e_2 * y) < sum / total;
  };
  double low = std::max(1.0, middle), high = std::min(1 / tail.e_2, 2 * middle);
  while (true) {
    const double half = low + (high - low) / 2;
    if (!(low < half && half < high)) break;
    (is_below_root(half) ? low : high) = half;
  }
  return tail.e_2 / total * low;
}
template double softmax_jacobian_spectral(std::span<const float>, const SoftmaxTail&,
                                          std::span<double>);
template double softmax_jacobian_spectral(std::span<const double>, const SoftmaxTail&,
                                          std::span<double>);

}  // namespace rootdk::probes
