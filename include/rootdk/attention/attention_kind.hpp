#pragma once
#include <span>
#include <string_view>

namespace rootdk {

// How attention is computed: `materialised` in five steps, with scores and weights in memory and
// readable; `streaming` in tiles, with memory that grows as n instead of n^2. Values and gradients are
// the same to rounding.
enum class AttentionKind { materialised, streaming };

struct AttentionKindRow {
  AttentionKind kind;
  std::string_view name;  // in config and CSV
};
std::span<const AttentionKindRow> attention_kind_table();
// The word for each, and back; throws std::invalid_argument that lists the words.
std::string_view to_string(AttentionKind kind);
AttentionKind attention_kind(std::string_view word);

}  // namespace rootdk
