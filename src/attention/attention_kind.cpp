#include "rootdk/attention/attention_kind.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace rootdk {
namespace {

constexpr std::array<AttentionKindRow, 2> attention_kinds{
    {{AttentionKind::materialised, "materialised"}, {AttentionKind::streaming, "streaming"}}};

}  // namespace

std::span<const AttentionKindRow> attention_kind_table() { return attention_kinds; }

std::string_view to_string(AttentionKind kind) {
  for (const auto& [value, word] : attention_kinds) {
    if (value == kind) return word;
  }
  throw std::logic_error("a kind of attention without a row in the table");
}

AttentionKind attention_kind(std::string_view word) {
  std::string known;
  for (const auto& [value, name] : attention_kinds) {
    if (name == word) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw std::invalid_argument("unknown attention '" + std::string(word) + "', known: " + known);
}

}  // namespace rootdk
