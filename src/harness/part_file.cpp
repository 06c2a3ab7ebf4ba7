#include "part_file.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace rootdk::harness {
namespace {

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

// Takes "<name> <size>" and that many bytes off the front of `rest`.
std::optional<std::string_view> take_block(std::string_view& rest, const std::string& name) {
  const auto size = take_line(rest, name);
  if (!size || *size > rest.size()) return std::nullopt;
  const std::string_view block = rest.substr(0, *size);
  rest.remove_prefix(*size);
  return block;
}

void append_block(std::string& bytes, const std::string& name, std::string_view block) {
  bytes += name + " " + std::to_string(block.size()) + "\n";
  bytes += block;
}

}  // namespace

std::uint64_t checksum(std::string_view bytes) {
  std::uint64_t hash = 14695981039346656037U;
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min(sizeof word, bytes.size());
    std::memcpy(&word, bytes.data(), count);
    hash = (hash ^ word) * 1099511628211U;
    bytes.remove_prefix(count);
  }
  return hash;
}

std::string part_bytes(const Part& part, const std::vector<CsvTable>& tables) {
  std::string files;
  for (const std::string& file : part.files) files += file + "\n";
  std::size_t size =
      files.size() + 64 * (tables.size() + 4);  // of the lines beside the rows, about
  for (const std::string_view rows : part.rows) size += rows.size();
  std::string bytes;
  bytes.reserve(size);
  bytes += "cell " + std::to_string(part.cell) + "\n";
  bytes += "facts " + std::to_string(part.facts) + "\n";
  append_block(bytes, "files", files);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    append_block(bytes, tables[t].name, part.rows.at(t));
  }
  bytes += "checksum " + std::to_string(checksum(bytes)) + "\n";
  return bytes;
}

std::optional<Part> parse_part(std::string_view bytes, std::size_t cell,
                               const std::vector<CsvTable>& tables) {
  Part part{.cell = cell};
  std::string_view rest = bytes;
  if (take_line(rest, "cell") != cell) return std::nullopt;
  const auto facts = take_line(rest, "facts");
  if (!facts) return std::nullopt;
  part.facts = *facts;
  auto files = take_block(rest, "files");
  if (!files) return std::nullopt;
  for (const CsvTable& table : tables) {
    const auto rows = take_block(rest, table.name);
    if (!rows) return std::nullopt;
    part.rows.push_back(*rows);
  }
  const std::string_view summed = bytes.substr(0, bytes.size() - rest.size());
  const auto written = take_line(rest, "checksum");
  if (!written || !rest.empty() || *written != checksum(summed)) return std::nullopt;
  for (std::size_t end = 0; (end = files->find('\n')) != std::string_view::npos;) {
    part.files.emplace_back(files->substr(0, end));
    files->remove_prefix(end + 1);
  }
  return part;
}

}  // namespace rootdk::harness
