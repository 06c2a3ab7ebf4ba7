#include "rootdk/attention/score_rule.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

#include "rootdk/named.hpp"

namespace rootdk {
namespace {

constexpr std::array<ScoreRuleRow, 3> rows{{
    {"none", "1", [](Index, double) { return 1.0; }},
    {"inv_sqrt_dk", "1/sqrt(d_k)",
     [](Index d_k, double) { return 1 / std::sqrt(static_cast<double>(d_k)); }},
    {"inv_dk", "1/d_k", [](Index d_k, double) { return 1 / static_cast<double>(d_k); }},
}};

constexpr ScoreRuleRow number{"a number", "that number", [](Index, double s) { return s; }};

}  // namespace

std::span<const ScoreRuleRow> score_rule_table() { return rows; }

ScoreRule constant_scale(double s) { return {&number, s}; }

ScoreRule score_rule(std::string_view word) {
  const std::span<const ScoreRuleRow> named(rows);
  if (const ScoreRuleRow* row = find_row(named, word)) return {row};
  double value = 0;
  const char* end = word.data() + word.size();
  const auto [parsed, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || parsed != end || !std::isfinite(value)) {
    throw std::invalid_argument("unknown scale '" + std::string(word) +
                                "', known: " + known_names(named) + ", a finite number");
  }
  return {&number, value};
}

}  // namespace rootdk
