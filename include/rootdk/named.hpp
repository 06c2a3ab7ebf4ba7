#pragma once
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rootdk {

// Tables whose rows have a `name`, the word that configs and CSVs have for them.
template <class Row>
const Row* find_row(std::span<const Row> rows, std::string_view name) {
  for (const Row& row : rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

// "tile, cblas, reference"
template <class Row>
std::string known_names(std::span<const Row> rows) {
  std::string known;
  for (const Row& row : rows) known += (known.empty() ? "" : ", ") + std::string(row.name);
  return known;
}

// Throws std::invalid_argument: "unknown gemm 'mkl', known: tile, cblas, reference", `what` being gemm.
template <class Row>
const Row& row_named(std::span<const Row> rows, std::string_view what, std::string_view name) {
  if (const Row* row = find_row(rows, name)) return *row;
  throw std::invalid_argument("unknown " + std::string(what) + " '" + std::string(name) +
                              "', known: " + known_names(rows));
}

// One value of an enumeration, and its name.
template <class Value>
struct Named {
  Value value;
  std::string_view name;
};

template <class Value>
std::string_view name_in(std::span<const Named<Value>> table, Value value) {
  for (const Named<Value>& row : table) {
    if (row.value == value) return row.name;
  }
  throw std::logic_error("a value without a row in its table");
}

// Throws as row_named does.
template <class Value>
Value value_in(std::span<const Named<Value>> table, std::string_view what, std::string_view word) {
  return row_named(table, what, word).value;
}

}  // namespace rootdk
