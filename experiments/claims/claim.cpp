#include "claims/claim.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <locale>
#include <sstream>

namespace rootdk::claims {

using Relation = Expectation::Relation;

std::string to_string(const Expectation& expectation) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  if (expectation.relation == Relation::at_most) text << "≤ ";
  if (expectation.relation == Relation::at_least) text << "≥ ";
  text << std::setprecision(5) << expectation.value;
  const double size = std::abs(expectation.value), margin = expectation.margin;
  if (margin >= 1e-6 || (size > 0 && margin >= 1e-3 * size))
    text << " ± " << std::setprecision(2) << expectation.margin;
  return text.str();
}

bool agree(const Expectation& expectation, const Estimate& measured) {
  const double low = measured.low_4se - expectation.margin;
  const double high = measured.high_4se + expectation.margin;
  // Written so that a NaN agrees with nothing.
  const bool from_below = low <= expectation.value, from_above = high >= expectation.value;
  if (expectation.relation == Relation::at_most) return from_below;
  if (expectation.relation == Relation::at_least) return from_above;
  return from_below && from_above;
}

Verdict verdict(std::span<const Statistic> statistics) {
  const auto refuted = [&](bool within) {
    return std::any_of(statistics.begin(), statistics.end(), [&](const Statistic& statistic) {
      return statistic.within_condition == within && statistic.claimed &&
             !agree(*statistic.claimed, statistic.measured);
    });
  };
  if (refuted(true)) return Verdict::wrong;
  return refuted(false) ? Verdict::holds_if : Verdict::holds;
}

std::string verdict_text(const Claim& claim, Verdict verdict) {
  if (verdict == Verdict::wrong) return "wrong";
  return verdict == Verdict::holds ? "holds" : "holds if " + std::string(claim.condition);
}

}  // namespace rootdk::claims
