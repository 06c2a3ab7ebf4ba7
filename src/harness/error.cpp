#include "rootdk/harness/error.hpp"

namespace rootdk::harness {

std::string one_line(std::string_view text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      line += ' ';
    } else if (byte < 0x20 || byte == 0x7F) {
      line += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    } else {
      line += c;
    }
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
