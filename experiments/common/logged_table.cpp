#include "common/logged_table.hpp"

#include <stdexcept>

namespace rootdk {
namespace {

using Fields = std::vector<std::string>;

// Fields of RFC 4180. Every line ends with a newline.
std::vector<Fields> lines_of(std::string_view csv) {
  std::vector<Fields> lines(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < csv.size(); ++i) {
    const char c = csv[i];
    if (quoted && csv.substr(i, 2) == "\"\"") {
      lines.back().back() += csv[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      lines.back().emplace_back();
    } else if (c == '\n' && !quoted) {
      lines.push_back({""});
    } else {
      lines.back().back() += c;
    }
  }
  lines.pop_back();  // what stands after the last newline
  return lines;
}

}  // namespace

LoggedTable read_logged_table(std::string_view csv) {
  LoggedTable table;
  for (const Fields& fields : lines_of(csv)) {
    if (table.columns.empty()) {
      table.columns = fields;
      continue;
    }
    if (fields.size() != table.columns.size()) {
      throw std::runtime_error("a row of " + std::to_string(fields.size()) +
                               " fields in a table of " + std::to_string(table.columns.size()) +
                               " columns");
    }
    LoggedTable::Row& row = table.rows.emplace_back();
    for (std::size_t c = 0; c < fields.size(); ++c) row[table.columns[c]] = fields[c];
  }
  return table;
}

}  // namespace rootdk
