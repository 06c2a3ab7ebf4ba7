#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rootdk {

// A table of a run, as harness::CsvRow wrote it.
struct LoggedTable {
  using Row = std::map<std::string, std::string>;  // the field of each column; empty: no value

  std::vector<std::string> columns;  // in the order of the file
  std::vector<Row> rows;
};

// From the bytes of the file, quotes undone. Throws std::runtime_error when a row has not as many
// fields as there are columns.
LoggedTable read_logged_table(std::string_view csv);

}  // namespace rootdk
