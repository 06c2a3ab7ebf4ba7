#pragma once
// The audit as text: rows of claims.csv, and the two tables made from them.
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "claims/claim.hpp"
#include "rootdk/harness/csv_log.hpp"

namespace rootdk::claims {

// Columns of claims.csv, a row a statistic:
//   id, claim, statistic, predicted, measured, ci_low, ci_high (95 %), verdict, why
//   predicted_relation, predicted_margin            equal, at_most or at_least, up to the margin
//   claimed, claimed_relation, claimed_margin       what the sentence implies; empty: it informs
//   low_4se, high_4se                               interval of 4 standard errors
//   supports   whether it bears the claim out: yes, no, or empty
//   agrees     whether it is what theory says: yes, no, or empty
//   condition  within or beyond that of "holds if"
//   shown      in claims.md as well: yes or no
std::vector<std::string> columns();
void append_rows(harness::CsvRows& rows, const Claim& claim,
                 const std::vector<Statistic>& statistics);

// From the text of claims.csv.
std::string markdown(const std::string& csv);
void print(const std::filesystem::path& csv, std::ostream& out);

}  // namespace rootdk::claims
