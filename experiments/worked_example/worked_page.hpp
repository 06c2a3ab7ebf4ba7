#pragma once
#include <iosfwd>

#include "worked_example/worked_attention.hpp"

namespace rootdk {

// The calculation as one would write it on paper: a step, its formula, its matrix; then the
// gradients, last step first. Six digits; of a large matrix its corners.
void print_page(const WorkedInputs& in, const WorkedResult& result, std::ostream& out);

}  // namespace rootdk
