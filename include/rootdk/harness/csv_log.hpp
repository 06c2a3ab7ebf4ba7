#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rootdk/harness/number_text.hpp"

namespace rootdk::harness {

// An empty cell: the quantity does not exist in this row.
struct Empty {};
inline constexpr Empty empty_cell{};

// Appends one row to a string, field by field: RFC 4180 quoting where a text needs it, numbers in
// the shortest form of their own type, the same in every locale. Allocates only what the string
// needs to grow. The row ends with end().
class CsvRow {
 public:
  explicit CsvRow(std::string& text) : text_(&text) {}

  CsvRow& add(double value) { return number(value); }
  CsvRow& add(float value) { return number(value); }
  template <std::integral T>
  CsvRow& add(T value) {
    static_assert(!std::same_as<T, bool> && !std::same_as<T, char>, "write a word or a number");
    if constexpr (std::signed_integral<T>)
      return number(static_cast<std::int64_t>(value));
    else
      return number(static_cast<std::uint64_t>(value));
  }
  CsvRow& add(std::string_view value);
  CsvRow& add(Empty);
  // Empty when there is no value.
  template <class T>
  CsvRow& add(const std::optional<T>& value) {
    return value ? add(*value) : add(empty_cell);
  }
  void end() { *text_ += '\n'; }

  std::size_t fields() const { return fields_; }

 private:
  void separate() {
    if (fields_++ > 0) *text_ += ',';
  }
  template <class T>
  CsvRow& number(T value) {
    separate();
    append_number(*text_, value);
    return *this;
  }

  std::string* text_;
  std::size_t fields_ = 0;
};

// "a,b,c\n"
std::string csv_header(const std::vector<std::string>& columns);

// Rows of one table, as text. Every row begins with the same fields (`prefix`).
class CsvRows {
 public:
  explicit CsvRows(std::size_t columns, std::string prefix = "", std::size_t prefix_fields = 0)
      : columns_(columns), prefix_(std::move(prefix)), prefix_fields_(prefix_fields) {}

  // Appends one row of the fields after the prefix. Throws std::logic_error when they are not as
  // many as the columns of the table.
  template <class... Fields>
  void append(const Fields&... fields) {
    check(sizeof...(fields));
    CsvRow row(text_);
    if (prefix_fields_ > 0) {
      text_ += prefix_;
      if (sizeof...(fields) > 0) text_ += ',';
    }
    (row.add(fields), ...);
    row.end();
  }

  void reserve(std::size_t bytes) { text_.reserve(bytes); }
  const std::string& text() const { return text_; }

 private:
  void check(std::size_t fields) const;

  std::size_t columns_;
  std::string prefix_;
  std::size_t prefix_fields_;
  std::string text_;
};

}  // namespace rootdk::harness
