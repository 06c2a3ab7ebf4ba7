#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

namespace rootdk::harness {

// One line that does nothing to a terminal, whatever bytes a file or a name brought into the text:
// newlines become blanks, other control characters and what is not UTF-8 \xNN.
std::string one_line(std::string_view text);

// The bytes of the UTF-8 character that `text` begins with, 0 where it begins with none (Unicode 15,
// table 3-7: neither overlong forms nor surrogates).
std::size_t utf8_length(std::string_view text);

// As much of a word or a line as a message can hold, and no half of a character.
std::string cut(std::string_view text, std::size_t most = 80);

// What was asked for is wrong: a flag, the config, an input file, or the output folder is in the
// way. The message is one sentence for the user; the program ends with exit code 2. Every other
// exception means that the run itself failed: exit code 1.
struct RequestError : std::runtime_error {
  explicit RequestError(std::string_view sentence) : std::runtime_error(one_line(sentence)) {}
};

// The user (SIGINT, SIGTERM) or the failure of another cell asked the running cells to stop.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace rootdk::harness
