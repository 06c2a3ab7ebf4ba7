#include "rootdk/training/float32_row.hpp"

#include <algorithm>
#include <array>

#include "rootdk/ops/softmax_rows.hpp"

namespace rootdk {

Float32Row::Outcome Float32Row::run(std::span<const double> z, std::span<const float> d_p) {
  std::transform(z.begin(), z.end(), z_.begin(), [](double x) { return static_cast<float>(x); });
  std::fill(d_z_.begin(), d_z_.end(), 0.0F);  // vjp adds
  const Shape row{1, static_cast<Index>(z_.size())};
  const std::array<View<const float>, 1> in{View<const float>(z_.data(), row)};
  const std::array<View<float>, 1> d_in{View<float>(d_z_.data(), row)};
  const SoftmaxRows softmax;
  softmax.forward<float>({.in = in, .out = View<float>(p_.data(), row), .saved = {}});
  softmax.vjp<float>({.in = in,
                      .out = View<const float>(p_.data(), row),
                      .saved = {},
                      .d_out = View<const float>(d_p.data(), row),
                      .d_in = d_in});
  const auto winner = static_cast<std::size_t>(std::max_element(z_.begin(), z_.end()) - z_.begin());
  return {.weight_one = p_[winner] == 1,
          .winner_zero = d_z_[winner] == 0,
          .row_zero = std::all_of(d_z_.begin(), d_z_.end(), [](float x) { return x == 0; })};
}

}  // namespace rootdk
