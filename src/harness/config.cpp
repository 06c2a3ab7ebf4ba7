#include "rootdk/harness/config.hpp"

#include <algorithm>
#include <stdexcept>

#include "rootdk/harness/number_text.hpp"
#include "rootdk/harness/validate.hpp"

namespace rootdk::harness {
namespace {

const RawValue* find(const std::vector<RawValue>& values, const std::string& key) {
  const auto found = std::find_if(values.begin(), values.end(),
                                  [&](const RawValue& value) { return value.key == key; });
  return found == values.end() ? nullptr : &*found;
}

// The defaults of a schema pass the same checks as what users write.
RawValue default_value(const Key& key) {
  RawValue value{key.name, "default of " + key.name, key.defaults.size() > 1, {}};
  for (const std::string& text : key.defaults) {
    value.items.push_back({Form::untyped, text, text, value.origin});
  }
  return value;
}

// The command line was read with the same keys, so only a file can bring a key nobody knows.
void check_file_keys(const std::vector<RawValue>& file, const std::vector<Key>& keys) {
  for (const RawValue& value : file) {
    const auto key = std::find_if(keys.begin(), keys.end(),
                                  [&](const Key& known) { return known.name == value.key; });
    if (key == keys.end()) {
      std::vector<std::string> names;
      for (const Key& known : keys) {
        if (!known.execution) names.push_back(known.name);
      }
      const std::string guess = nearest(value.key, names);
      throw RequestError(value.origin + ": unknown key " + cut(value.key) + "; " +
                         (guess.empty() ? "--help lists them all" : "did you mean " + guess + "?"));
    }
    if (key->execution) {
      throw RequestError(value.origin + ": " + value.key +
                         " says how to run, not what; give it as --" + value.key +
                         " on the command line");
    }
  }
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7F) {
      constexpr char digits[] = "0123456789ABCDEF";
      result += std::string("\\u00") + digits[byte / 16] + digits[byte % 16];
    } else {
      result += c;
    }
  }
  return result + "\"";
}

// A value as TOML reads it back with the same type.
std::string toml_value(const Key& key, const std::string& text) {
  switch (key.kind) {
    case Kind::integer:
    case Kind::boolean: return text;
    case Kind::unsigned_integer: return parse_integer(text) ? text : quoted(text);
    case Kind::word_or_real:
      if (!parse_real(text)) return quoted(text);
      [[fallthrough]];
    case Kind::real: return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
    case Kind::word:
    case Kind::text: break;
  }
  return quoted(text);
}

}  // namespace

Config::Config(std::string experiment, std::vector<Key> keys, const std::vector<RawValue>& file,
               const std::vector<RawValue>& command_line)
    : experiment_(std::move(experiment)),
      keys_(std::make_shared<const std::vector<Key>>(std::move(keys))) {
  check_file_keys(file, *keys_);
  for (const Key& key : *keys_) {
    const RawValue fallback = default_value(key);
    const RawValue* chosen = &fallback;
    // What the file says is checked even where the command line replaces it.
    if (const RawValue* value = find(file, key.name)) {
      validate(key, *value);
      chosen = value;
    }
    if (const RawValue* value = find(command_line, key.name)) chosen = value;
    settings_.push_back({validate(key, *chosen), chosen->origin});
  }
}

std::size_t Config::position(std::string_view key) const {
  const auto found = std::find_if(keys_->begin(), keys_->end(),
                                  [&](const Key& known) { return known.name == key; });
  if (found == keys_->end()) throw std::logic_error("no key " + std::string(key));
  return static_cast<std::size_t>(found - keys_->begin());
}

const std::vector<std::string>& Config::values(std::string_view key, Kind kind) const {
  const std::size_t at = position(key);
  if ((*keys_)[at].kind != kind) {
    throw std::logic_error("the key " + std::string(key) + " is read as another kind than it has");
  }
  return settings_[at].values;
}

const std::string& Config::value(std::string_view key, Kind kind) const {
  values(key, kind);
  return word(key);
}

const std::string& Config::word(std::string_view key) const {
  const std::vector<std::string>& all = words(key);
  if (all.size() != 1) {
    throw std::logic_error("the key " + std::string(key) + " holds several values, not one");
  }
  return all.front();
}

const std::vector<std::string>& Config::words(std::string_view key) const {
  return settings_[position(key)].values;
}

std::int64_t Config::integer(std::string_view key) const {
  return parse_integer(value(key, Kind::integer)).value();
}

std::uint64_t Config::unsigned_integer(std::string_view key) const {
  return parse_unsigned(value(key, Kind::unsigned_integer)).value();
}

double Config::real(std::string_view key) const {
  return parse_real(value(key, Kind::real)).value();
}

bool Config::boolean(std::string_view key) const { return value(key, Kind::boolean) == "true"; }

std::vector<std::int64_t> Config::integers(std::string_view key) const {
  std::vector<std::int64_t> numbers;
  for (const std::string& text : values(key, Kind::integer)) {
    numbers.push_back(parse_integer(text).value());
  }
  return numbers;
}

std::vector<std::uint64_t> Config::unsigned_integers(std::string_view key) const {
  std::vector<std::uint64_t> numbers;
  for (const std::string& text : values(key, Kind::unsigned_integer)) {
    numbers.push_back(parse_unsigned(text).value());
  }
  return numbers;
}

std::vector<double> Config::reals(std::string_view key) const {
  std::vector<double> numbers;
  for (const std::string& text : values(key, Kind::real)) {
    numbers.push_back(parse_real(text).value());
  }
  return numbers;
}

const std::string& Config::origin(std::string_view key) const {
  return settings_[position(key)].origin;
}

RequestError Config::error(std::string_view key, const std::string& message) const {
  return RequestError(origin(key) + ": " + message);
}

Config Config::with(std::string_view key, const std::string& text) const {
  Config changed = *this;
  changed.settings_[position(key)].values = {text};
  return changed;
}

std::string Config::toml_mark(std::string_view experiment) {
  return "# rootdk " + std::string(experiment);
}

std::string Config::toml() const {
  std::string text = toml_mark(experiment_) +
                     "\n# Every key of this run. The same results again: " + experiment_ +
                     " --config <this file>\n";
  for (std::size_t i = 0; i < keys_->size(); ++i) {
    const Key& key = (*keys_)[i];
    if (key.execution) continue;
    std::string values;
    for (const std::string& value : settings_[i].values) {
      values += (values.empty() ? "" : ", ") + toml_value(key, value);
    }
    text += "\n# " + key.help + " (" + allowed_values(key) + ")\n" + key.name + " = " +
            (key.list ? "[" + values + "]" : values) + "\n";
  }
  return text;
}

std::string first_difference(const Config& a, const Config& b) {
  for (const Key& key : a.keys()) {
    if (!key.execution && a.words(key.name) != b.words(key.name)) return key.name;
  }
  return "";
}

}  // namespace rootdk::harness
