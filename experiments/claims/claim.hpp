#pragma once
// What a claim is, as data: a sentence, the statistics that can bear it out or refute it, and what
// both the sentence and theory say these should be. The verdict is computed from the measurements.
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "claims/estimate.hpp"

namespace rootdk::claims {

// How much may be measured.
struct Budget {
  std::int64_t n_queries = 0;          // sampled queries (or pairs, or rows) a statistic
  std::int64_t n_trainings = 0;        // trainings a setting, each with its own seed
  std::uint64_t seed = 0;              // of every stream
  bool single_precision = true;        // of the trainings
  std::function<void()> tick = [] {};  // called between trainings; may throw to stop
};

// "= 0.5", "<= 0.1" or ">= 2", each up to a margin: rounding of a printed number, or the stated
// accuracy of an asymptotic law.
struct Expectation {
  enum class Relation { equal, at_most, at_least };
  Relation relation = Relation::equal;
  double value = 0;
  double margin = 0;  // absolute
};
inline Expectation equals(double value, double margin = 0) {
  return {Expectation::Relation::equal, value, margin};
}
inline Expectation at_most(double value, double margin = 0) {
  return {Expectation::Relation::at_most, value, margin};
}
inline Expectation at_least(double value, double margin = 0) {
  return {Expectation::Relation::at_least, value, margin};
}
// "≤ 0.1", "0.58 ± 0.03": a number to five digits, a margin to two, none when it is rounding only.
std::string to_string(const Expectation& expectation);

// Whether the measurement leaves the expectation standing: false only when all of its interval of 4
// standard errors lies outside.
bool agree(const Expectation& expectation, const Estimate& measured);

struct Statistic {
  std::string name{};                      // what is measured, with its sizes
  std::optional<Expectation> claimed{};    // what the sentence implies; nothing: it only informs
  std::optional<Expectation> predicted{};  // what theory says; nothing: no theory at hand
  Estimate measured{};
  bool within_condition = true;  // false: measured where the condition of the claim is broken
  bool detail = false;           // in claims.csv only, not in the table of claims.md
};

enum class Verdict { holds, holds_if, wrong };

// Wrong when a statistic within the condition refutes the claim; true under its condition only
// when one beyond it does; else it holds.
Verdict verdict(std::span<const Statistic> statistics);

struct Claim {
  std::string_view id;
  std::string_view sentence;   // in our words
  std::string_view condition;  // completes "holds if ..."; empty when none is known
  std::string_view why;        // one line
  std::vector<Statistic> (*measure)(const Budget&);
  double cost = 1;  // relative time: the costliest starts first
};

// "holds", "wrong", or "holds if ..." with the claim's condition.
std::string verdict_text(const Claim& claim, Verdict verdict);

}  // namespace rootdk::claims
