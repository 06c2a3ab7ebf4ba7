#include "rootdk/attention/score_order.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace rootdk {
namespace {

constexpr std::array<ScoreOrderRow, 2> orders{
    {{ScoreOrder::direct, "direct"}, {ScoreOrder::merged, "merged"}}};

}  // namespace

std::span<const ScoreOrderRow> score_order_table() { return orders; }

std::string_view to_string(ScoreOrder order) {
  for (const ScoreOrderRow& row : orders) {
    if (row.order == order) return row.name;
  }
  throw std::logic_error("an order of scores without a row in the table");
}

ScoreOrder score_order(std::string_view word) {
  std::string known;
  for (const ScoreOrderRow& row : orders) {
    if (row.name == word) return row.order;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw std::invalid_argument("unknown order '" + std::string(word) + "', known: " + known);
}

double score_operations(ScoreOrder order, const ScoreSizes& sizes) {
  const auto number = [](Index extent) { return static_cast<double>(extent); };
  const double m = number(sizes.d_model), d_k = number(sizes.d_k);
  const double t_q = number(sizes.batch_size) * number(sizes.n_queries);
  const double t = number(sizes.batch_size) * number(sizes.n_tokens);
  const double pairs = t_q * number(sizes.n_tokens), again = sizes.streaming ? 1 : 0;
  if (order == ScoreOrder::direct) return 2 * (t_q + t) * m * d_k + (3 + again) * pairs * d_k;
  return 3 * m * m * d_k + 2 * t_q * m * m + (2 + again) * pairs * m;
}

ScoreOrder cheaper_order(const ScoreSizes& sizes) {
  return score_operations(ScoreOrder::merged, sizes) < score_operations(ScoreOrder::direct, sizes)
             ? ScoreOrder::merged
             : ScoreOrder::direct;
}

}  // namespace rootdk
