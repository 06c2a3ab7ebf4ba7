#pragma once
#include "rootdk/probes/softmax_tail.hpp"

namespace rootdk::probes {

// How concentrated one row of attention weights p = softmax(z) is. A row with one key has p_max 1,
// entropy 0, effective_keys 1 and an infinite gap; an empty row (fully masked) has 0 everywhere; a
// row with a NaN has NaN everywhere.
struct Concentration {
  double p_max = 0;           // largest weight
  double entropy = 0;         // -sum p ln p, in nats: ln n when uniform
  double effective_keys = 0;  // 1 / sum p^2: n when uniform, 1 when one-hot
  double top_two_gap = 0;     // z_(1) - z_(2), the largest score less the second largest
};

// In the notation of SoftmaxTail, with ln p_j = -(z_1 - z_j) - ln T,
//
//   p_max = 1 / T
//   entropy = sum_j p_j (z_1 - z_j + ln T) = ln T + (e_2 / T) sum_{j>1} (z_1 - z_j) f_j
//   1 / sum p^2 = T^2 / (1 + e_2^2 F_2)
//
// Every term is positive, and ln T = log1p(e_2 F_1) keeps its digits as T tends to 1.
Concentration concentration(const SoftmaxTail& tail);

}  // namespace rootdk::probes
