#include "common/schema_keys.hpp"

#include "rootdk/attention/attention_kind.hpp"
#include "rootdk/attention/score_rule.hpp"
#include "rootdk/gemm/gemm.hpp"

namespace rootdk {
namespace {

constexpr const char* automatic_order = "auto";

}  // namespace

harness::Key scale_key(const char* help) {
  return {.name = "scale",
          .kind = harness::Kind::word_or_real,
          .defaults = {"inv_sqrt_dk"},
          .words = names_of(score_rule_table()),
          .help = help};
}

harness::Key seed_key(const char* help) {
  return {.name = "seed", .kind = harness::Kind::unsigned_integer, .defaults = {"1"}, .help = help};
}

harness::Key dtype_key(const char* initial, const char* help) {
  return word_key("dtype", initial, {"float32", "float64"}, help);
}

bool is_float32(const harness::Config& config) { return config.word("dtype") == "float32"; }

std::size_t bytes_of_number(const harness::Config& config) {
  return is_float32(config) ? sizeof(float) : sizeof(double);
}

harness::Key order_key(const char* help) {
  harness::Key key = word_key("order", automatic_order, names_of(score_order_table()), help);
  key.words.insert(key.words.begin(), automatic_order);
  return key;
}

std::optional<ScoreOrder> order_of(const harness::Config& config) {
  const std::string& word = config.word("order");
  if (word == automatic_order) return std::nullopt;
  return score_order(word);
}

harness::Key attention_key(const char* help) {
  return word_key("attention", to_string(AttentionKind::materialised).data(),
                  names_of(attention_kind_table()), help);
}

harness::Key gemm_key() {
  return word_key("gemm", to_string(default_gemm).data(), names_of(gemm_table()),
                  "how matrix products are computed");
}

}  // namespace rootdk
