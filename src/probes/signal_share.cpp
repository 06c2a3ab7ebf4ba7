#include "rootdk/probes/signal_share.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace rootdk::probes {

void SignalShare::clear() {
  std::fill(sum_.begin(), sum_.end(), 0.0);
  square_ = 0;
  count_ = 0;
}

template <class T>
void SignalShare::add(std::span<const T> gradient) {
  if (gradient.size() != sum_.size()) {
    throw std::invalid_argument("signal share: a gradient of another size");
  }
  for (std::size_t i = 0; i < sum_.size(); ++i) {
    const auto g = static_cast<double>(gradient[i]);
    sum_[i] += g;
    square_ += g * g;
  }
  ++count_;
}
template void SignalShare::add(std::span<const float>);
template void SignalShare::add(std::span<const double>);

// With s = sum g_k and q = sum |g_k|^2 the formula becomes (|s|^2 / q - 1) / (K - 1).
double SignalShare::share() const {
  if (count_ < 2) return std::numeric_limits<double>::quiet_NaN();
  double sum_square = 0;
  for (const double s : sum_) sum_square += s * s;
  return (sum_square / square_ - 1) / (count_ - 1);
}

}  // namespace rootdk::probes
