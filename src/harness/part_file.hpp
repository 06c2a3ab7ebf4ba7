#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rootdk/harness/run_directory.hpp"

namespace rootdk::harness {

// The file of one finished cell: for each table a line "<name> <number of bytes>" and that many
// bytes of rows, and at the end a line "checksum <number>" of all bytes before it. A file that was
// cut off or changed by anything but this program is told from a whole one.

std::string part_bytes(const std::vector<CsvTable>& tables,
                       const std::vector<std::string_view>& rows);

// The rows of every table, as pieces of `part`; nothing when the part is not whole, or one of other
// tables.
std::optional<std::vector<std::string_view>> rows_of_part(std::string_view part,
                                                          const std::vector<CsvTable>& tables);

}  // namespace rootdk::harness
