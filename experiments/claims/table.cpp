#include "claims/table.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

namespace rootdk::claims {

std::span<const Claim* const> table() {
  static constexpr std::array claims{
      &three_projections,  &roles_at_start,       &roles_after_training,  &variance_under_control,
      &weights_sum_to_one, &weighted_average,     &length_and_reach,      &worked_weights,
      &worked_self_weight, &dot_product_variance, &large_numbers_one_hot, &one_hot_is_argmax,
      &winner_exception,   &training_stalls,      &scaled_variance_one,   &scaled_softmax_soft,
      &gradients_vanish,   &all_equal_x,          &no_projections,        &quadratic_cost};
  return claims;
}

const Claim& find(std::string_view id) {
  for (const Claim* claim : table()) {
    if (claim->id == id) return *claim;
  }
  throw std::out_of_range("no claim " + std::string(id));
}

}  // namespace rootdk::claims
