#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rootdk {

// A table of a run, as harness::CsvRow wrote it.
struct LoggedTable {
  struct Row {
    std::map<std::string, std::string> fields;  // of each column; empty: no value
    // Throws std::runtime_error when there is no such column.
    const std::string& at(const std::string& column) const;
  };

  std::vector<std::string> columns;  // in the order of the file
  std::vector<Row> rows;
};

// From the bytes of the file of this name, quotes undone. Throws std::runtime_error that names file and row
// when there is no header, the last row was cut off, or one has not as many fields as the header.
LoggedTable read_logged_table(std::string_view csv, const std::string& name);
LoggedTable read_logged_table(const std::filesystem::path& file);

// The number of a field, nan and inf among them. Throws std::runtime_error when it holds something else.
double logged_number(const LoggedTable::Row& row, const std::string& column);

}  // namespace rootdk
