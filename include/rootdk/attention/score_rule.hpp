#pragma once
#include <span>
#include <string>
#include <string_view>

#include "rootdk/autodiff/shape.hpp"

namespace rootdk {

// How raw scores S = Q K^T become the scaled scores Z that softmax sees: one row of the table a rule.
// So far every rule acts on the scores alone, as a factor s in Z = s S, and that is all that streaming
// attention, the retrieval graph and its attention rows ask it for. A rule that also acts on the weights,
// on q and k or after the update brings a member for that stage, and needs it applied in these three too.
struct ScoreRuleRow {
  std::string_view name;     // the word of config and CSV
  std::string_view formula;  // of s
  double (*factor)(Index d_k, double parameter);
};
std::span<const ScoreRuleRow> score_rule_table();

// A row with its own parameter, if it has one.
struct ScoreRule {
  const ScoreRuleRow* row;
  double parameter = 0;
  double factor(Index d_k) const { return row->factor(d_k, parameter); }
};

// The rule whose factor is s, whatever d_k.
ScoreRule constant_scale(double s);

// From the name of a row, or a finite number that is the factor itself. Throws std::invalid_argument
// that lists what is known.
ScoreRule score_rule(std::string_view word);

}  // namespace rootdk
