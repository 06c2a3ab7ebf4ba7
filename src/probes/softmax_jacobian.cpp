#include "rootdk/probes/softmax_jacobian.hpp"

#include <cmath>

namespace rootdk::probes {

double softmax_jacobian_norm(const SoftmaxTail& tail) {
  if (tail.row == SoftmaxTail::Row::empty) return 0;
  if (tail.row == SoftmaxTail::Row::not_a_number) return std::numeric_limits<double>::quiet_NaN();
  const double T = tail.T();
  const double e_2 = tail.e_2;
  const double square =
      tail.F_1 * tail.F_1 + tail.F_2 * (T * T + 2 + e_2 * e_2 * tail.F_2) - 2 * T * e_2 * tail.F_3;
  return e_2 / (T * T) * std::sqrt(square);
}

}  // namespace rootdk::probes
