#pragma once
// Short spellings for the keys of a schema, and the keys that several experiments have.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rootdk/attention/score_order.hpp"
#include "rootdk/harness/config.hpp"

namespace rootdk {

// Up to 2^31 - 1: what is counted with it cannot overflow.
inline harness::Key integer_key(const char* name, const char* initial, double least,
                                const char* help) {
  return {.name = name,
          .kind = harness::Kind::integer,
          .defaults = {initial},
          .range = harness::between(least, 2147483647),
          .help = help};
}

// Up to 2^16: what is done so often inside one step. A run hears that it is to stop between two steps,
// and 65536 samples give a mean to 1/256 of their deviation.
inline harness::Key samples_key(const char* name, const char* initial, double least,
                                const char* help) {
  harness::Key key = integer_key(name, initial, least, help);
  key.range.max = 65536;
  return key;
}

inline harness::Key real_key(const char* name, const char* initial, harness::Range range,
                             const char* help) {
  return {.name = name,
          .kind = harness::Kind::real,
          .defaults = {initial},
          .range = range,
          .help = help};
}

inline harness::Key boolean_key(const char* name, const char* initial, const char* help) {
  return {.name = name, .kind = harness::Kind::boolean, .defaults = {initial}, .help = help};
}

inline harness::Key word_key(const char* name, const char* initial, std::vector<std::string> words,
                             const char* help) {
  return {.name = name,
          .kind = harness::Kind::word,
          .defaults = {initial},
          .words = std::move(words),
          .help = help};
}

// The key as a list to sweep over.
inline harness::Key sweeping(harness::Key key, std::vector<std::string> values) {
  key.list = true;
  key.defaults = std::move(values);
  return key;
}

// The words of a table of rows with names.
template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

// Keys of the same name, and what they hold, in every experiment that has them.

// A rule of score_rule_table() or a number; by default inv_sqrt_dk.
harness::Key scale_key(const char* help = "factor on the raw scores Q K^T, by name or as a number");
// By default 1.
harness::Key seed_key(const char* help);

// float32 or float64
harness::Key dtype_key(const char* initial, const char* help);
bool is_float32(const harness::Config& config);
std::size_t bytes_of_number(const harness::Config& config);

// A row of score_order_table(); by default auto, the one with fewer operations: no order is given.
harness::Key order_key(const char* help);
std::optional<ScoreOrder> order_of(const harness::Config& config);

// By default materialised.
harness::Key attention_key(const char* help);
harness::Key gemm_key();

}  // namespace rootdk
