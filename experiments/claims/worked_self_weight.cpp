// What the example says of its third token, as an order and as a number.
#include <algorithm>

#include "claims/table.hpp"
#include "claims/three_tokens.hpp"

namespace rootdk::claims {
namespace {

std::vector<Statistic> measure(const Budget&) {
  const auto weights = three_tokens_by_engine().weights[2];
  const auto hand = three_tokens_by_hand()[2];
  const auto lead = [](const std::array<double, 3>& row) {
    return row[2] - std::max(row[0], row[1]);
  };
  return {{.name = "token 3: its weight on itself less the largest on another",
           .claimed = at_least(0),
           .predicted = equals(lead(hand), 1e-15),
           .measured = exact(lead(weights))},
          {.name = "token 3: its weight on itself",
           .claimed = equals(0.48, 0.005),
           .predicted = equals(hand[2], 1e-15),
           .measured = exact(weights[2]),
           .within_condition = false}};
}

}  // namespace

constinit const Claim worked_self_weight{
    .id = "worked_self_weight",
    .sentence = "In the same example token 3 looks most at itself, with weight 0.48.",
    .condition = "it is read as an order, not as a number",
    .why = "It does lean on itself, with a little more than half of its attention.",
    .measure = measure};

}  // namespace rootdk::claims
