#include "rootdk/attention/attention_kind.hpp"

#include <array>

namespace rootdk {
namespace {

constexpr std::array<Named<AttentionKind>, 2> attention_kinds{
    {{AttentionKind::materialised, "materialised"}, {AttentionKind::streaming, "streaming"}}};

}  // namespace

std::span<const Named<AttentionKind>> attention_kind_table() { return attention_kinds; }
std::string_view to_string(AttentionKind kind) { return name_in(attention_kind_table(), kind); }
AttentionKind attention_kind(std::string_view word) {
  return value_in(attention_kind_table(), "attention", word);
}

}  // namespace rootdk
