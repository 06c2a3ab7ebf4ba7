#include "rootdk/probes/concentration.hpp"

#include "rootdk/elementary.hpp"

namespace rootdk::probes {

Concentration concentration(const SoftmaxTail& tail) {
  if (tail.row == SoftmaxTail::Row::empty) return {};
  if (tail.row == SoftmaxTail::Row::not_a_number) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, nan, nan};
  }
  const double T = tail.T();
  // A gap too large for a double leaves e_2 = 0 and an infinite depth: those losers add nothing.
  const double of_losers = tail.e_2 > 0 ? tail.e_2 / T * tail.depth : 0;
  return {.p_max = 1 / T,
          .entropy = elementary::log1p(tail.e_2 * tail.F_1) + of_losers,
          .effective_keys = T * T / (1 + tail.e_2 * tail.e_2 * tail.F_2),
          .top_two_gap = tail.top_two_gap};
}

}  // namespace rootdk::probes
