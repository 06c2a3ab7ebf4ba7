#pragma once
// What the fuzzers share.
#include <cstdint>
#include <cstdlib>
#include <string_view>

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

// In any build type.
inline void expect(bool truth) {
  if (!truth) std::abort();
}

// A message of a RequestError: on one line, and short enough to read.
inline void expect_one_sentence(std::string_view sentence) {
  expect(!sentence.empty() && sentence.size() < 1000);
  for (const char c : sentence) expect(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F);
}
