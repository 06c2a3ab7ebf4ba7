#pragma once
#include "rootdk/named.hpp"

namespace rootdk {

// How attention is computed: `materialised` in five steps, with scores and weights in memory and
// readable; `streaming` in tiles, with memory that grows as n instead of n^2. Values and gradients are
// the same to rounding (the largest |v| times n must be in the range of the type when streaming).
enum class AttentionKind { materialised, streaming };

// The names in configs and CSVs, that of a value, and the value of a name, which throws
// std::invalid_argument that lists the names.
std::span<const Named<AttentionKind>> attention_kind_table();
std::string_view to_string(AttentionKind kind);
AttentionKind attention_kind(std::string_view word);

}  // namespace rootdk
