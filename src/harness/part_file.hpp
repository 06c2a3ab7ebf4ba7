#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rootdk/harness/run_directory.hpp"

namespace rootdk::harness {

// The file of one finished cell: a line "cell <number>", a line "facts <number>", a line "files <number of
// bytes>" and that many bytes of paths, a line each, for each table a line "<name> <number of bytes>" and
// that many bytes of rows, and at the end a line "checksum <number>" of all bytes before it. A file that
// was cut off or changed by anything but this program is told from a whole one, and so is the part of
// another cell.
struct Part {
  std::size_t cell = 0;
  std::uint64_t facts = 0;               // checksum of what meta.json says of the program
  std::vector<std::string> files{};      // that the cell wrote beside the tables
  std::vector<std::string_view> rows{};  // of every table
};

// FNV-1a with 64 bits (Fowler, Noll, Vo), over words of eight bytes and then what is left of them: against
// accidents, not against forgery. Each step is a bijection of the sum so far and of the word, so a change
// within one word is never missed.
std::uint64_t checksum(std::string_view bytes);

std::string part_bytes(const Part& part, const std::vector<CsvTable>& tables);

// The part of this cell, its rows pieces of `bytes`; nothing when it is not whole, or one of
// another cell or of other tables.
std::optional<Part> parse_part(std::string_view bytes, std::size_t cell,
                               const std::vector<CsvTable>& tables);

}  // namespace rootdk::harness
