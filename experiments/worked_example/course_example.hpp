#pragma once
#include <iosfwd>

#include "worked_example/worked_attention.hpp"

namespace rootdk {

// The course's three tokens, with an output gradient of our own that shows something:
//   Q = K = (1 0), (0 1), (1 1)     V = (10 0), (0 10), (5 5)     G = (1 0), (0 1), (1 -1)
WorkedInputs three_tokens();
// Whether a configuration asks for them as they stand.
bool is_the_course_example(const harness::Config& config);

// Why G is not simply all ones: what that would give.
void explain_output_gradient(std::ostream& out);

// The weights that the course prints for these tokens, held against `result`, and why they cannot
// be right. `result` is that of three_tokens() as it stands.
void compare_with_course(const WorkedResult& result, std::ostream& out);

}  // namespace rootdk
