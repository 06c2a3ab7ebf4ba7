#include "rootdk/harness/number_text.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace rootdk::harness {
namespace {

template <class T>
void append_with_to_chars(std::string& text, T value) {
  char buffer[64];
  const std::to_chars_result result = std::to_chars(buffer, buffer + sizeof buffer, value);
  text.append(buffer, result.ptr);
}

template <class T>
void append_real(std::string& text, T value) {
  if (std::isnan(value)) {
    text += "nan";  // to_chars would write -nan for some
  } else {
    append_with_to_chars(text, value);
  }
}

template <class T>
std::optional<T> parse_with_from_chars(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const std::from_chars_result result = std::from_chars(text.data(), end, value);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

bool has_leading_zero(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return text.size() > 1 && text.front() == '0';
}

}  // namespace

void append_number(std::string& text, double value) { append_real(text, value); }
void append_number(std::string& text, float value) { append_real(text, value); }
void append_number(std::string& text, std::int64_t value) { append_with_to_chars(text, value); }
void append_number(std::string& text, std::uint64_t value) { append_with_to_chars(text, value); }

std::string number_text(double value) {
  std::string text;
  append_number(text, value);
  return text;
}

std::string number_text(float value) {
  std::string text;
  append_number(text, value);
  return text;
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  if (has_leading_zero(text)) return std::nullopt;
  return parse_with_from_chars<std::int64_t>(text);
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
  if (has_leading_zero(text)) return std::nullopt;
  return parse_with_from_chars<std::uint64_t>(text);
}

std::optional<double> parse_real(std::string_view text) {
  const std::optional<double> value = parse_with_from_chars<double>(text);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return *value + 0.0;
}

}  // namespace rootdk::harness
