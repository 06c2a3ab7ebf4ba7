#pragma once
// Short spellings for the keys of a schema.
#include <string>
#include <utility>
#include <vector>

#include "rootdk/gemm/gemm.hpp"
#include "rootdk/harness/schema.hpp"

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

inline harness::Key gemm_key() {
  return word_key("gemm", to_string(default_gemm).data(), names_of(gemm_table()),
                  "how matrix products are computed");
}

}  // namespace rootdk
