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

}  // namespace rootdk::harness
