#pragma once
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rootdk {

// One value of an enumeration, and the word that configs and CSVs have for it.
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

// Throws std::invalid_argument: "unknown gemm 'mkl', known: tile, cblas, reference", `what` being gemm.
template <class Value>
Value value_in(std::span<const Named<Value>> table, std::string_view what, std::string_view word) {
  std::string known;
  for (const Named<Value>& row : table) {
    if (row.name == word) return row.value;
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw std::invalid_argument("unknown " + std::string(what) + " '" + std::string(word) +
                              "', known: " + known);
}

}  // namespace rootdk
