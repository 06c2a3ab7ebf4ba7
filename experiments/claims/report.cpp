#include "claims/report.hpp"

#include <algorithm>
#include <array>
#include <iomanip>
#include <ostream>
#include <sstream>

#include "common/logged_table.hpp"
#include "rootdk/harness/number_text.hpp"

namespace rootdk::claims {
namespace {

using Row = LoggedTable::Row;

constexpr std::array<std::string_view, 3> relations{"equal", "at_most", "at_least"};

// An expectation as three fields, and back as text; all empty when there is none.
struct Fields {
  std::string value{}, relation{}, margin{};
};
Fields fields_of(const std::optional<Expectation>& expectation) {
  if (!expectation) return {};
  return {harness::number_text(expectation->value),
          std::string(relations[static_cast<std::size_t>(expectation->relation)]),
          harness::number_text(expectation->margin)};
}
std::string expected(const Row& row, const std::string& column) {
  if (row.at(column).empty()) return "";
  const auto relation = std::find(relations.begin(), relations.end(), row.at(column + "_relation"));
  return to_string(Expectation{static_cast<Expectation::Relation>(relation - relations.begin()),
                               logged_number(row, column), logged_number(row, column + "_margin")});
}

std::string answer(const std::optional<Expectation>& expectation, const Estimate& measured) {
  if (!expectation) return "";
  return agree(*expectation, measured) ? "yes" : "no";
}

std::string rounded(double number, int digits) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << std::setprecision(digits) << number;
  return text.str();
}

// "0.4178 [0.4156, 0.4199]"; a number that no chance enters has no interval.
std::string measured(const Row& row) {
  const double value = logged_number(row, "measured");
  const std::string &low = row.at("ci_low"), &high = row.at("ci_high");
  if (low == row.at("measured") && high == low) return rounded(value, 5);
  return rounded(value, 4) + " [" + rounded(logged_number(row, "ci_low"), 4) + ", " +
         rounded(logged_number(row, "ci_high"), 4) + "]";
}

std::string dash_if_empty(const std::string& text) { return text.empty() ? "–" : text; }

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '|' || c == '*' || c == '_') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::vector<std::string> columns() {
  return {"id",
          "claim",
          "statistic",
          "predicted",
          "measured",
          "ci_low",
          "ci_high",
          "verdict",
          "why",
          "predicted_relation",
          "predicted_margin",
          "claimed",
          "claimed_relation",
          "claimed_margin",
          "low_4se",
          "high_4se",
          "supports",
          "agrees",
          "condition",
          "shown"};
}

void append_rows(harness::CsvRows& rows, const Claim& claim,
                 const std::vector<Statistic>& statistics) {
  const std::string text = verdict_text(claim, verdict(statistics));
  for (const Statistic& row : statistics) {
    const Fields predicted = fields_of(row.predicted), claimed = fields_of(row.claimed);
    const Estimate& m = row.measured;
    rows.append(claim.id, claim.sentence, row.name, predicted.value, m.value, m.ci_low, m.ci_high,
                text, claim.why, predicted.relation, predicted.margin, claimed.value,
                claimed.relation, claimed.margin, m.low_4se, m.high_4se, answer(row.claimed, m),
                answer(row.predicted, m), row.within_condition ? "within" : "beyond",
                row.detail ? "no" : "yes");
  }
}

std::string markdown(const std::string& csv) {
  std::string text =
      "| claim | statistic | claimed | predicted | measured [95 %] | verdict |\n"
      "|---|---|---|---|---|---|\n";
  std::string last;
  for (const Row& row : read_logged_table(csv, "claims.csv").rows) {
    if (row.at("shown") == "no") continue;
    const bool first = row.at("id") != last;
    last = row.at("id");
    text +=
        "| " + (first ? "`" + last + "` " + escaped(row.at("claim")) : "") + " | " +
        escaped(row.at("statistic")) + " | " + dash_if_empty(escaped(expected(row, "claimed"))) +
        " | " + dash_if_empty(escaped(expected(row, "predicted"))) + " | " + measured(row) + " | " +
        (first ? "**" + escaped(row.at("verdict")) + "**. " + escaped(row.at("why")) : "") + " |\n";
  }
  return text;
}

void print(const std::filesystem::path& csv, std::ostream& out) {
  std::string last;
  int agreed = 0, predicted = 0;
  for (const Row& row : read_logged_table(csv).rows) {
    if (row.at("id") != last) {
      last = row.at("id");
      out << '\n'
          << last << ": " << row.at("verdict") << "\n  " << row.at("claim") << "\n  "
          << row.at("why") << '\n';
    }
    out << "    " << row.at("statistic") << "\n      measured " << measured(row);
    if (!row.at("predicted").empty()) out << "   predicted " << expected(row, "predicted");
    if (!row.at("claimed").empty()) {
      out << "   claimed " << expected(row, "claimed")
          << (row.at("supports") == "yes" ? "" : ": no");
    }
    if (row.at("agrees") == "no") out << "   NOT AS PREDICTED";
    out << '\n';
    predicted += row.at("agrees").empty() ? 0 : 1;
    agreed += row.at("agrees") == "yes" ? 1 : 0;
  }
  out << '\n'
      << agreed << " of " << predicted
      << " predictions hold within 4 standard errors and their stated margins\n";
}

}  // namespace rootdk::claims
