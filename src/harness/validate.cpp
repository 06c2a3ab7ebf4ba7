#include "rootdk/harness/validate.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "rootdk/harness/error.hpp"
#include "rootdk/harness/number_text.hpp"

namespace rootdk::harness {
namespace {

using Canonical = std::optional<std::string>;

bool is_utf8(std::string_view text) {
  while (const std::size_t length = utf8_length(text)) text.remove_prefix(length);
  return text.empty();
}

bool is(const RawItem& item, Form form) { return item.form == form || item.form == Form::untyped; }

Canonical integer_text(const Key& key, const RawItem& item) {
  if (!is(item, Form::integer)) return std::nullopt;
  const std::optional<std::int64_t> value = parse_integer(item.text);
  if (!value || !key.range.contains(static_cast<double>(*value))) return std::nullopt;
  return std::to_string(*value);
}

Canonical unsigned_text(const RawItem& item) {
  const std::optional<std::uint64_t> value = parse_unsigned(item.text);
  if (!value) return std::nullopt;
  // TOML has no integers beyond 2^63 - 1: a file holds those, and only those, in quotes.
  const bool beyond_toml = *value > static_cast<std::uint64_t>(INT64_MAX);
  if (!is(item, beyond_toml ? Form::string : Form::integer)) return std::nullopt;
  return std::to_string(*value);
}

Canonical real_text(const Key& key, const RawItem& item) {
  if (!is(item, Form::real) && !is(item, Form::integer)) return std::nullopt;
  const std::optional<double> value = parse_real(item.text);
  if (!value || !key.range.contains(*value)) return std::nullopt;
  return number_text(*value);
}

Canonical word_text(const Key& key, const RawItem& item) {
  if (!is(item, Form::string)) return std::nullopt;
  const bool known = std::find(key.words.begin(), key.words.end(), item.text) != key.words.end();
  return known ? Canonical(item.text) : std::nullopt;
}

Canonical boolean_text(const RawItem& item) {
  if (!is(item, Form::boolean)) return std::nullopt;
  return item.text == "true" || item.text == "false" ? Canonical(item.text) : std::nullopt;
}

Canonical canonical_text(const Key& key, const RawItem& item) {
  switch (key.kind) {
    case Kind::integer: return integer_text(key, item);
    case Kind::unsigned_integer: return unsigned_text(item);
    case Kind::real: return real_text(key, item);
    case Kind::word: return word_text(key, item);
    case Kind::word_or_real: {
      const Canonical word = word_text(key, item);
      return word ? word : real_text(key, item);
    }
    case Kind::boolean: return boolean_text(item);
    case Kind::text: break;
  }
  // No name of a file holds a NUL, and config.toml holds UTF-8.
  const bool is_text =
      is(item, Form::string) && is_utf8(item.text) && item.text.find('\0') == std::string::npos;
  return is_text ? Canonical(item.text) : std::nullopt;
}

// Also one that is allowed nowhere: nan, inf, 1e400.
bool is_any_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double ignored = 0;
  const char* const end = text.data() + text.size();
  return std::from_chars(text.data(), end, ignored).ptr == end;
}

bool is_too_long_an_integer(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t ignored = 0;
  const char* const end = text.data() + text.size();
  const auto [next, error] = std::from_chars(text.data(), end, ignored);
  return error == std::errc::result_out_of_range && next == end;
}

// ", which is not UTF-8", or "; did you mean adam?" where one of the key's words is near what was
// written.
std::string explanation(const Key& key, const RawItem& item) {
  if (!is_utf8(item.text)) return ", which is not UTF-8";
  if (key.kind == Kind::integer && is_too_long_an_integer(item.text) &&
      key.range.contains(parse_real(item.text).value_or(0))) {
    return ", which 64 bits do not hold";
  }
  if (!is(item, Form::string) || is_any_number(item.text) || key.words.size() == 1) return "";
  const std::string guess = nearest(item.text, key.words);
  return guess.empty() ? "" : "; did you mean " + guess + "?";
}

}  // namespace

std::vector<std::string> validate(const Key& key, const RawValue& value) {
  if (value.is_list && !key.list) {
    throw RequestError(value.origin + ": " + key.name + " must be " + allowed_values(key) +
                       ", found a list of " + std::to_string(value.items.size()) +
                       "; this key holds one value");
  }
  if (value.items.empty()) {
    throw RequestError(value.origin + ": " + key.name + " is an empty list; it needs a value");
  }
  std::vector<std::string> values;
  for (const RawItem& item : value.items) {
    const Canonical text = canonical_text(key, item);
    if (!text) {
      throw RequestError(item.origin + ": " + key.name + " must be " + allowed_values(key) +
                         ", found " + cut(item.written, 60) + explanation(key, item));
    }
    if (std::find(values.begin(), values.end(), *text) != values.end()) {
      throw RequestError(item.origin + ": " + key.name + " repeats the value " + cut(*text) +
                         "; a list holds each value once");
    }
    values.push_back(*text);
  }
  return values;
}

}  // namespace rootdk::harness
