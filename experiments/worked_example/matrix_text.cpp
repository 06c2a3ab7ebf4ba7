#include "worked_example/matrix_text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rootdk {
namespace {

std::string text_of(double value, std::chars_format format, int decimals) {
  char buffer[400];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, format, decimals);
  std::string text(buffer, end);
  const bool zero = text.find_first_of("123456789in") == std::string::npos;
  return zero && text.starts_with('-') ? text.substr(1) : text;
}

// How all entries of one matrix are written.
struct Style {
  std::chars_format format = std::chars_format::fixed;
  int decimals = 6;

  std::string operator()(double value) const { return text_of(value, format, decimals); }
};

Style style_of(const Matrix& matrix, const Hidden& hidden) {
  bool integers = true;
  double largest = 0;
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index j = 0; j < matrix.cols; ++j) {
      if (hidden && hidden(i, j)) continue;
      integers = integers && matrix(i, j) == std::trunc(matrix(i, j));
      largest = std::max(largest, std::abs(matrix(i, j)));
    }
  }
  if (integers && largest < 1e6) return {std::chars_format::fixed, 0};
  if (largest < 1e-3 || !(largest < 1e6)) return {std::chars_format::scientific, 5};
  return {};
}

// The indices of an axis that are shown; -1 stands for those left out.
std::vector<Index> shown(Index extent) {
  constexpr Index most = 8, ends = 3;
  std::vector<Index> indices;
  for (Index i = 0; i < extent; ++i) {
    if (extent <= most || i < ends || i >= extent - ends) indices.push_back(i);
    if (extent > most && i == ends) indices.push_back(-1);
  }
  return indices;
}

}  // namespace

std::string fixed_text(double value, int decimals) {
  return text_of(value, std::chars_format::fixed, decimals);
}

std::string matrix_text(const std::string& label, const Matrix& matrix, const Hidden& hidden) {
  const Style style = style_of(matrix, hidden);
  const auto field = [&](Index i, Index j) -> std::string {
    if (i < 0 || j < 0) return "..";
    return hidden && hidden(i, j) ? "-" : style(matrix(i, j));
  };
  const std::vector<Index> rows = shown(matrix.rows), cols = shown(matrix.cols);
  std::size_t width = 0;
  for (const Index i : rows) {
    for (const Index j : cols) width = std::max(width, field(i, j).size());
  }
  std::string text;
  for (const Index i : rows) {
    text += text.empty() ? label + " = [" : std::string(label.size() + 3, ' ') + "[";
    for (const Index j : cols) {
      const std::string entry = field(i, j);
      text += ' ' + std::string(width - entry.size(), ' ') + entry;
    }
    text += " ]\n";
  }
  return text;
}

}  // namespace rootdk
