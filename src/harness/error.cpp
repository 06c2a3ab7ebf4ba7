#include "rootdk/harness/error.hpp"

namespace rootdk::harness {

std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  if (byte(0) < 0x80) return 1;
  const std::size_t length = byte(0) < 0xC2 ? 0 : byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  if (length == 0 || byte(0) > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
  }
  const bool overlong = (byte(0) == 0xE0 && byte(1) < 0xA0) || (byte(0) == 0xF0 && byte(1) < 0x90);
  const bool no_character =
      (byte(0) == 0xED && byte(1) > 0x9F) || (byte(0) == 0xF4 && byte(1) > 0x8F);
  return overlong || no_character ? 0 : length;
}

namespace {

// C0, DEL, or C1: U+0080 to U+009F, which a terminal obeys, too.
bool begins_with_control(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  return byte < 0x20 || byte == 0x7F ||
         (byte == 0xC2 && utf8_length(text) == 2 && static_cast<unsigned char>(text[1]) < 0xA0);
}

}  // namespace

std::string one_line(std::string_view text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string line;
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.front());
    std::size_t length = utf8_length(text);
    if (length > 0 && !begins_with_control(text)) {
      line += text.substr(0, length);
    } else {
      length = 1;
      line += byte == '\n' ? " " : std::string{'\\', 'x', digits[byte / 16], digits[byte % 16]};
    }
    text.remove_prefix(length);
  }
  return line;
}

std::string cut(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

}  // namespace rootdk::harness
