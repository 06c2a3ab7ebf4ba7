#include "rootdk/harness/csv_log.hpp"

#include <stdexcept>

namespace rootdk::harness {

CsvRow& CsvRow::add(std::string_view value) {
  separate();
  if (value.find_first_of(",\"\r\n") == std::string_view::npos) {
    *text_ += value;
    return *this;
  }
  *text_ += '"';
  for (const char c : value) {
    if (c == '"') *text_ += '"';
    *text_ += c;
  }
  *text_ += '"';
  return *this;
}

CsvRow& CsvRow::add(Empty) {
  separate();
  return *this;
}

std::string csv_header(const std::vector<std::string>& columns) {
  std::string text;
  CsvRow row(text);
  for (const std::string& column : columns) row.add(column);
  row.end();
  return text;
}

void CsvRows::check(std::size_t fields) const {
  if (fields != columns_) {
    throw std::logic_error("a row of " + std::to_string(fields) + " fields for a table of " +
                           std::to_string(columns_) + " columns");
  }
}

}  // namespace rootdk::harness
