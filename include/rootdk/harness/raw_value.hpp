#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "rootdk/harness/schema.hpp"

namespace rootdk::harness {

// How a value was written, before anything is known about its key.
enum class Form {
  integer,
  real,
  boolean,
  string,
  other,    // a date or a time
  untyped,  // a word of the command line: could be any of the above
};

struct RawItem {
  Form form = Form::untyped;
  std::string text{};     // the content, numbers without underscores and +
  std::string written{};  // as the user wrote it, for messages
  std::string origin{};   // "configs/a.toml:7" or "--d_k"
};

// A key and what was given for it, not validated.
struct RawValue {
  std::string key{};
  std::string origin{};
  bool is_list = false;
  std::vector<RawItem> items{};
};

// The values of a TOML document in the order of its lines. `name` stands before the line number in
// origins and messages. Throws RequestError (name:line: sentence) for anything but flat
// `key = value` and `key = [values]` lines.
std::vector<RawValue> parse_toml(std::string_view document, const std::string& name);
// The same for a file. Throws RequestError also when it cannot be read.
std::vector<RawValue> read_toml_file(const std::string& path);

// The values of a command line (without the program's name), in the order of `keys`.
// Throws RequestError for an unknown flag, a flag without its value, or one given twice.
std::vector<RawValue> parse_command_line(const std::vector<std::string>& arguments,
                                         const std::vector<Key>& keys);

}  // namespace rootdk::harness
