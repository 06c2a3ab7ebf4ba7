#include "common/logged_table.hpp"

#include <charconv>
#include <stdexcept>

#include "rootdk/harness/atomic_file.hpp"

namespace rootdk {
namespace {

using Fields = std::vector<std::string>;

// Fields of RFC 4180. Every line ends with a newline; what stands after the last is a line cut off.
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
  return lines;
}

[[noreturn]] void damaged(const std::string& name, std::size_t row, const std::string& how) {
  throw std::runtime_error(name + ", row " + std::to_string(row) + ": " + how +
                           "; the file is damaged, and --overwrite computes it again");
}

}  // namespace

const std::string& LoggedTable::Row::at(const std::string& column) const {
  const auto found = fields.find(column);
  if (found != fields.end()) return found->second;
  throw std::runtime_error("a logged table has no column " + column +
                           "; it is damaged, and --overwrite computes the run again");
}

LoggedTable read_logged_table(std::string_view csv, const std::string& name) {
  LoggedTable table;
  std::vector<Fields> lines = lines_of(csv);
  if (lines.back() != Fields{""}) damaged(name, lines.size() - 1, "cut off before its end");
  lines.pop_back();
  if (lines.empty()) damaged(name, 0, "no header");
  table.columns = lines.front();
  for (std::size_t r = 1; r < lines.size(); ++r) {
    if (lines[r].size() != table.columns.size()) {
      damaged(name, r,
              "fields: " + std::to_string(lines[r].size()) + ", under a header of " +
                  std::to_string(table.columns.size()));
    }
    LoggedTable::Row& row = table.rows.emplace_back();
    for (std::size_t c = 0; c < lines[r].size(); ++c) row.fields[table.columns[c]] = lines[r][c];
  }
  return table;
}

LoggedTable read_logged_table(const std::filesystem::path& file) {
  return read_logged_table(harness::read_file(file), file.string());
}

double logged_number(const LoggedTable::Row& row, const std::string& column) {
  const std::string& text = row.at(column);
  double number = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number).ptr == end && !text.empty()) return number;
  throw std::runtime_error("a logged " + column + " is '" + text +
                           "', which is no number; --overwrite computes the run again");
}

}  // namespace rootdk
