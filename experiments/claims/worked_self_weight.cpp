// What the example says of its third token, as an order and as a number.
#include <algorithm>

#include "claims/table.hpp"
#include "claims/three_tokens.hpp"

namespace rootdk::claims {
namespace {

std::vector<Statistic> measure(const Budget&) {
  const Matrix weights = three_tokens_by_engine().weights, hand = three_tokens_by_hand();
  const auto lead = [](const Matrix& of) { return of(2, 2) - std::max(of(2, 0), of(2, 1)); };
  return {{.name = "token 3: its weight on itself less the largest on another",
           .claimed = at_least(0),
           .predicted = equals(lead(hand), 1e-15),
           .measured = exact(lead(weights))},
          {.name = "token 3: its weight on itself",
           .claimed = equals(course::printed_weights(2, 2), course::rounding),
           .predicted = equals(hand(2, 2), 1e-15),
           .measured = exact(weights(2, 2)),
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
