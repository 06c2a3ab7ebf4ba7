#pragma once
#include <span>

#include "claims/claim.hpp"

namespace rootdk::claims {

// The audit, in the order of the text it audits. A new claim is one file, which defines it, and one
// row here, both of its name. Its verdict is then expected in claims_test.cpp and shown in README.md.
#define ROOTDK_CLAIMS(ROW)    \
  ROW(three_projections)      \
  ROW(roles_at_start)         \
  ROW(roles_after_training)   \
  ROW(variance_under_control) \
  ROW(weights_sum_to_one)     \
  ROW(weighted_average)       \
  ROW(length_and_reach)       \
  ROW(worked_weights)         \
  ROW(worked_self_weight)     \
  ROW(dot_product_variance)   \
  ROW(large_numbers_one_hot)  \
  ROW(one_hot_is_argmax)      \
  ROW(winner_exception)       \
  ROW(training_stalls)        \
  ROW(scaled_variance_one)    \
  ROW(scaled_softmax_soft)    \
  ROW(gradients_vanish)       \
  ROW(all_equal_x)            \
  ROW(no_projections)         \
  ROW(quadratic_cost)

#define ROOTDK_DECLARE_CLAIM(name) extern const Claim name;
ROOTDK_CLAIMS(ROOTDK_DECLARE_CLAIM)
#undef ROOTDK_DECLARE_CLAIM

std::span<const Claim* const> table();
// Throws std::out_of_range for an unknown id.
const Claim& find(std::string_view id);

}  // namespace rootdk::claims
