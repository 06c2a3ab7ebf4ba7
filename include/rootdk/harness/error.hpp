#pragma once
#include <stdexcept>

namespace rootdk::harness {

// What was asked for is wrong: a flag, the config, an input file, or the output folder is in the
// way. The message is one sentence for the user; the program ends with exit code 2. Every other
// exception means that the run itself failed: exit code 1.
struct RequestError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The user (SIGINT, SIGTERM) or the failure of another cell asked the running cells to stop.
struct Interrupted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace rootdk::harness
