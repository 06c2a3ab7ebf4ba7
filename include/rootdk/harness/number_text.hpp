#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rootdk::harness {

// Numbers as text and back, the same on every machine and in every locale.

// The shortest text that reads back as the same value: 1, 0.5, 1e-05; `nan`, `inf`, `-inf`.
std::string number_text(double value);
// The shortest text among floats: 0.1f is 0.1, not 0.10000000149011612.
std::string number_text(float value);
void append_number(std::string& text, double value);
void append_number(std::string& text, float value);
void append_number(std::string& text, std::int64_t value);
void append_number(std::string& text, std::uint64_t value);

// Plain decimal, no sign +, no leading zero, no blanks; nothing when the text is anything else or
// does not fit.
std::optional<std::int64_t> parse_integer(std::string_view text);
std::optional<std::uint64_t> parse_unsigned(std::string_view text);
// A finite decimal number that a double can hold (1e400 and 1e-400 are not); -0 becomes 0.
std::optional<double> parse_real(std::string_view text);

}  // namespace rootdk::harness
