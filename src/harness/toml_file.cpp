#include <algorithm>
#include <filesystem>
#include <fstream>
#include <toml++/toml.h>

#include "rootdk/harness/error.hpp"
#include "rootdk/harness/raw_value.hpp"

namespace rootdk::harness {
namespace {

// No config is as large, and not every file tells its size.
constexpr std::size_t most_bytes = 1 << 20;

// The document by lines: messages quote it as the user wrote it.
class Source {
 public:
  Source(std::string_view document, std::string name) : name_(std::move(name)) {
    std::size_t begin = 0;
    while (begin <= document.size()) {
      const std::size_t end = std::min(document.find('\n', begin), document.size());
      lines_.push_back(document.substr(begin, end - begin));
      begin = end + 1;
    }
  }

  std::string origin(const toml::source_position& position) const {
    return name_ + ":" + std::to_string(position.line);
  }

  // The text of a value; what follows its first line is left out.
  std::string written(const toml::source_region& region) const {
    const std::string_view line = lines_.at(region.begin.line - 1);
    const bool one_line = region.end.line == region.begin.line;
    const std::size_t begin = byte(line, region.begin.column);
    const std::size_t end = one_line ? byte(line, region.end.column) : line.size();
    const std::string_view text = line.substr(begin, end - begin);
    return one_line ? std::string(text) : std::string(text) + "...";
  }

  std::string line(const toml::source_position& position) const {
    const std::string_view line = lines_.at(position.line - 1);
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return "";
    return cut(line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin));
  }

 private:
  // toml++ counts columns in code points, from 1.
  static std::size_t byte(std::string_view line, std::uint32_t column) {
    std::size_t at = 0;
    for (std::uint32_t passed = 1; passed < column && at < line.size(); ++passed) {
      ++at;
      while (at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U) ++at;
    }
    return at;
  }

  std::string name_;
  std::vector<std::string_view> lines_;
};

// The number as std::from_chars reads it; toml++ has checked the grammar.
std::string plain_number(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
  if (text.starts_with('+')) text.erase(0, 1);
  return text;
}

RawItem read_item(const toml::node& node, const std::string& key, const Source& source) {
  RawItem item;
  item.origin = source.origin(node.source().begin);
  item.written = source.written(node.source());
  if (const auto* integer = node.as_integer()) {
    item.form = Form::integer;
    item.text = std::to_string(integer->get());
  } else if (node.is_floating_point()) {
    item.form = Form::real;
    // toml++ turns 1e-400 into 0; the text still says what was meant.
    item.text = plain_number(item.written);
  } else if (const auto* boolean = node.as_boolean()) {
    item.form = Form::boolean;
    item.text = boolean->get() ? "true" : "false";
  } else if (const auto* string = node.as_string()) {
    item.form = Form::string;
    item.text = string->get();
  } else if (node.is_array() || node.is_table()) {
    throw RequestError(item.origin + ": " + cut(key) + " holds " + cut(item.written) +
                       " inside its list; a list holds plain values only");
  } else {
    item.form = Form::other;
    item.text = item.written;
  }
  return item;
}

RawValue read_value(const toml::key& key, const toml::node& node, const Source& source) {
  RawValue value;
  value.key = std::string(key.str());
  value.origin = source.origin(key.source().begin);
  if (node.is_table() || node.is_array_of_tables()) {
    throw RequestError(value.origin + ": " + source.line(key.source().begin) + " makes " +
                       cut(value.key) + " a table; every key stands alone, as key = value");
  }
  if (const auto* list = node.as_array()) {
    value.is_list = true;
    for (const toml::node& element : *list) {
      value.items.push_back(read_item(element, value.key, source));
    }
  } else {
    value.items.push_back(read_item(node, value.key, source));
  }
  return value;
}

RequestError syntax_error(const toml::parse_error& error, const Source& source) {
  const toml::source_position at = error.source().begin;
  std::string message = cut(error.description(), 200);
  // An integer beyond 64 bits: probably a seed.
  if (message.find("not representable in 64 bits") != std::string::npos) {
    message +=
        "; the integers of a TOML file end at 9223372036854775807, a larger seed is written"
        " in quotes or given as a flag";
  }
  const std::string line = source.line(at);
  return RequestError(source.origin(at) + ": " + (line.empty() ? "the file" : line) +
                      " is not TOML: " + message);
}

}  // namespace

std::vector<RawValue> parse_toml(std::string_view document, const std::string& name) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (document.starts_with(byte_order_mark)) document.remove_prefix(byte_order_mark.size());
  const Source source(document, name);
  toml::table table;
  try {
    table = toml::parse(document);
  } catch (const toml::parse_error& error) {
    throw syntax_error(error, source);
  }
  // The table is sorted by key; errors are to come in the order of the file.
  std::vector<std::pair<const toml::key*, const toml::node*>> entries;
  for (auto&& [key, node] : table) entries.emplace_back(&key, &node);
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return a.first->source().begin.line < b.first->source().begin.line;
  });
  std::vector<RawValue> values;
  for (const auto& [key, node] : entries) values.push_back(read_value(*key, *node, source));
  return values;
}

std::vector<RawValue> read_toml_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw RequestError("--config: there is no file " + path);
  }
  if (!std::filesystem::is_regular_file(path, ignored)) {  // a pipe may never end or never begin
    throw RequestError("--config: " + path + " is no file");
  }
  std::ifstream file(path, std::ios::binary);
  std::string document(most_bytes + 1, '\0');
  file.read(document.data(), static_cast<std::streamsize>(document.size()));
  document.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || !file.is_open()) {
    throw RequestError("--config: " + path + " cannot be read");
  }
  if (document.size() > most_bytes) {
    throw RequestError("--config: " + path + " is larger than 1 MiB; it is no config file");
  }
  return parse_toml(document, path);
}

}  // namespace rootdk::harness
