// The printed weights of the three-token example, against what its own formula gives.
#include <algorithm>

#include "claims/table.hpp"
#include "claims/three_tokens.hpp"

namespace rootdk::claims {
namespace {

using course::printed_weights;
using course::rounding;

double largest_difference(const Matrix& a, const Matrix& b) {
  double largest = 0;
  for (std::size_t e = 0; e < a.entries.size(); ++e) {
    largest = std::max(largest, std::abs(a.entries[e] - b.entries[e]));
  }
  return largest;
}

std::vector<Statistic> measure(const Budget&) {
  const ThreeTokens engine = three_tokens_by_engine();
  const Matrix hand = three_tokens_by_hand();
  int wrong = 0;
  double printed_sum = 0;
  for (std::size_t e = 0; e < printed_weights.entries.size(); ++e) {
    wrong += std::abs(printed_weights.entries[e] - engine.weights.entries[e]) > rounding ? 1 : 0;
  }
  for (Index j = 0; j < printed_weights.cols; ++j) printed_sum += printed_weights(0, j);
  const double output = 10 * hand(0, 0) + 5 * hand(0, 2);
  return {{.name = "largest difference of a printed weight from the computed one",
           .claimed = equals(0, rounding),
           .predicted = equals(largest_difference(printed_weights, hand), 1e-12),
           .measured = exact(largest_difference(printed_weights, engine.weights))},
          {.name = "printed weights, of nine, that are wrong in a printed digit",
           .claimed = equals(0),
           .predicted = equals(9),
           .measured = exact(wrong)},
          {.name = "sum of the first printed row",
           .claimed = equals(1, 1e-9),
           .predicted = equals(0.38 + 0.19 + 0.42, 1e-9),
           .measured = exact(printed_sum),
           .detail = true},
          {.name = "token 1: its weight on itself less that on token 3, which has the same score",
           .claimed = equals(printed_weights(0, 0) - printed_weights(0, 2), 2 * rounding),
           .predicted = equals(0, 1e-15),
           .measured = exact(engine.weights(0, 0) - engine.weights(0, 2))},
          {.name = "first output, first entry",
           .claimed = equals(5.9, 0.05),
           .predicted = equals(output, 1e-12),
           .measured = exact(engine.first_output)}};
}

}  // namespace

constinit const Claim worked_weights{
    .id = "worked_weights",
    .sentence =
        "In the three-token example token 1 puts 0.38, 0.19 and 0.42 on the three tokens, and "
        "so on: nine weights to two decimals, rows that sum to one, an output near (5.9, 4.0).",
    .condition = "",
    .why = "Equal scores must get equal weights, and two of the printed rows sum to 0.99.",
    .measure = measure};

}  // namespace rootdk::claims
