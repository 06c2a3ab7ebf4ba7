#include "part_file.hpp"

#include <charconv>
#include <cstdint>

namespace rootdk::harness {
namespace {

// FNV-1a with 64 bits (Fowler, Noll, Vo): against accidents, not against forgery.
std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

// Takes a line "<name> <number>" off the front of `rest`; nothing when there is none.
std::optional<std::uint64_t> take_line(std::string_view& rest, const std::string& name) {
  if (!rest.starts_with(name + " ")) return std::nullopt;
  const char* const begin = rest.data() + name.size() + 1;
  const char* const end = rest.data() + rest.size();
  std::uint64_t number = 0;
  const auto [next, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || next == end || *next != '\n') return std::nullopt;
  rest.remove_prefix(static_cast<std::size_t>(next + 1 - rest.data()));
  return number;
}

}  // namespace

std::string part_bytes(const std::vector<CsvTable>& tables,
                       const std::vector<std::string_view>& rows) {
  std::string bytes;
  std::size_t size = 64 * (tables.size() + 1);  // of the lines beside the rows, about
  for (const std::string_view of_table : rows) size += of_table.size();
  bytes.reserve(size);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    bytes += tables[t].name + " " + std::to_string(rows.at(t).size()) + "\n";
    bytes += rows[t];
  }
  bytes += "checksum " + std::to_string(checksum(bytes)) + "\n";
  return bytes;
}

std::optional<std::vector<std::string_view>> rows_of_part(std::string_view part,
                                                          const std::vector<CsvTable>& tables) {
  std::vector<std::string_view> rows;
  std::string_view rest = part;
  for (const CsvTable& table : tables) {
    const auto size = take_line(rest, table.name);
    if (!size || *size > rest.size()) return std::nullopt;
    rows.push_back(rest.substr(0, *size));
    rest.remove_prefix(*size);
  }
  const std::string_view summed = part.substr(0, part.size() - rest.size());
  const auto written = take_line(rest, "checksum");
  if (!written || !rest.empty() || *written != checksum(summed)) return std::nullopt;
  return rows;
}

}  // namespace rootdk::harness
