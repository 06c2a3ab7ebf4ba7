#pragma once
#include <span>

#include "claims/claim.hpp"

namespace rootdk::claims {

// One claim a file of the same name.
extern const Claim three_projections, roles_at_start, roles_after_training, variance_under_control,
    weights_sum_to_one, weighted_average, length_and_reach, worked_weights, worked_self_weight,
    dot_product_variance, large_numbers_one_hot, one_hot_is_argmax, winner_exception,
    training_stalls, scaled_variance_one, scaled_softmax_soft, gradients_vanish, all_equal_x,
    no_projections, quadratic_cost;

// The audit, in the order of the text it audits. A new claim is one file and one row.
std::span<const Claim* const> table();
// Throws std::out_of_range for an unknown id.
const Claim& find(std::string_view id);

}  // namespace rootdk::claims
