#include <algorithm>
#include <charconv>
#include <optional>

#include "rootdk/harness/error.hpp"
#include "worked_example/matrix_file.hpp"

namespace rootdk {
namespace {

constexpr std::string_view blanks = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

std::size_t digits_at(std::string_view text, std::size_t at) {
  const std::size_t end = text.find_first_not_of("0123456789", at);
  return std::min(end, text.size()) - at;
}

// [+-] digits [. digits] [e [+-] digits], with a digit before or after the point.
bool is_decimal(std::string_view text) {
  const auto has = [&](std::size_t at, std::string_view any) {
    return at < text.size() && any.find(text[at]) != std::string_view::npos;
  };
  std::size_t at = has(0, "+-") ? 1 : 0;
  std::size_t digits = digits_at(text, at);
  at += digits;
  if (has(at, ".")) {
    const std::size_t decimals = digits_at(text, at + 1);
    digits += decimals;
    at += 1 + decimals;
  }
  if (digits == 0) return false;
  if (has(at, "eE")) {
    at += has(at + 1, "+-") ? 2 : 1;
    const std::size_t exponent = digits_at(text, at);
    if (exponent == 0) return false;
    at += exponent;
  }
  return at == text.size();
}

// Nothing when the number is too large or too small for a double.
std::optional<double> value_of(std::string_view decimal) {
  if (decimal.starts_with('+')) decimal.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(decimal.data(), decimal.data() + decimal.size(), value);
  return error == std::errc() ? std::optional(value) : std::nullopt;
}

// What stands in the file, not too long for a message.
std::string shown(std::string_view field) {
  constexpr std::size_t most = 40;
  return "\"" + std::string(field.substr(0, most)) + (field.size() > most ? "...\"" : "\"");
}

class Reader {
 public:
  Reader(std::string_view text, std::string name) : rest_(text), name_(std::move(name)) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (rest_.starts_with(byte_order_mark)) rest_.remove_prefix(byte_order_mark.size());
  }

  Matrix read() {
    while (!rest_.empty()) {
      ++line_;
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      read_row(rest_.substr(0, end));
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
    }
    if (matrix_.rows == 0) throw error(1, "the file holds no number");
    return std::move(matrix_);
  }

 private:
  void read_row(std::string_view line) {
    if (trimmed(line).empty()) {
      if (blank_ == 0) blank_ = line_;
      return;  // fine, if nothing follows
    }
    if (blank_ != 0) throw error(blank_, "the line is blank, and rows follow it");
    Index fields = 0;
    for (bool more = true; more;) {
      const std::size_t comma = line.find(',');
      more = comma != std::string_view::npos;
      matrix_.entries.push_back(number(line.substr(0, comma), ++fields));
      if (more) line.remove_prefix(comma + 1);
    }
    if (matrix_.rows++ == 0) matrix_.cols = fields;
    if (fields != matrix_.cols) {
      throw error(line_, "the row has " + std::to_string(fields) + " fields, those above have " +
                             std::to_string(matrix_.cols));
    }
  }

  double number(std::string_view field, Index position) const {
    const std::string where = "field " + std::to_string(position);
    const std::string_view text = trimmed(field);
    if (text.empty()) throw error(line_, where + " is empty");
    if (!is_decimal(text)) {
      throw error(line_, where + " is " + shown(text) + ", not one decimal number such as -1.5e-3" +
                             " (rows of numbers between commas, and nothing else)");
    }
    const std::optional<double> value = value_of(text);
    if (!value) throw error(line_, where + " is " + shown(text) + ", beyond what float64 holds");
    return *value;
  }

  harness::RequestError error(std::size_t line, const std::string& sentence) const {
    return harness::RequestError(name_ + ":" + std::to_string(line) + ": " + sentence);
  }

  std::string_view rest_;
  std::string name_;
  Matrix matrix_;
  std::size_t line_ = 0;
  std::size_t blank_ = 0;  // the first blank line so far
};

}  // namespace

Matrix parse_csv(std::string_view text, const std::string& name) {
  return Reader(text, name).read();
}

}  // namespace rootdk
