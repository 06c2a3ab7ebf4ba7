#pragma once
#include <span>
#include <vector>

namespace rootdk::probes {

// How much of a gradient is the same in every batch. With g_k the gradients of K independent
// batches,
//
//   share = |E g|^2 / E|g|^2:   1 when every batch says the same, 0 when they only disagree.
//
// |mean g|^2 is too large for |E g|^2: with C = E|g|^2 - |E g|^2 its expectation is
// |E g|^2 + C / K. The K-th part of mean|g|^2 is (|E g|^2 + C) / K on average, and what is left of
// their difference is |E g|^2 (1 - 1/K):
//
//   share = (K |mean g|^2 - mean|g|^2) / ((K - 1) mean|g|^2)
//
// Numerator and denominator have no bias, so an estimate may fall below 0 where the share is small.
// 1 - share is the variance's part; the noise scale of McCandlish et al. 2018 ("An empirical model
// of large-batch training"), tr C / |E g|^2, is (1 - share) / share batches.
class SignalShare {
 public:
  // For gradients of `size` entries. All memory is taken here.
  explicit SignalShare(std::size_t size) : sum_(size) {}

  void clear();
  // One batch's gradient, in any layout that stays the same. Throws std::invalid_argument when it
  // has not `size` entries.
  template <class T>
  void add(std::span<const T> gradient);
  // NaN with less than two batches, when all gradients are 0, or when one is not finite.
  double share() const;

 private:
  std::vector<double> sum_;  // of g_k
  double square_ = 0;        // sum of |g_k|^2
  double count_ = 0;         // K
};

}  // namespace rootdk::probes
