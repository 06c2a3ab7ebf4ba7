#pragma once
#include <string>
#include <vector>

#include "rootdk/harness/raw_value.hpp"
#include "rootdk/harness/schema.hpp"

namespace rootdk::harness {

// The one place that decides what a key may hold, whether it was written in a file, on the command
// line or in the schema.

// The canonical text of the values: shortest numbers, `true`, words as they are.
// Throws RequestError (origin: key must be ..., found ...) for a value the key does not allow, an
// empty list, a repeated value, or a list for a key that holds one value.
std::vector<std::string> validate(const Key& key, const RawValue& value);

}  // namespace rootdk::harness
