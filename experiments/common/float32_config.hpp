#pragma once
// Numbers of a config that a float32 run computes with.
#include "rootdk/harness/config.hpp"

namespace rootdk {

// Where dtype is float32, every number of the config must keep, rounded to a float, what its key asks
// of it: it stays finite, stays apart from 0, and stays in the key's range (1 - 1e-9 is below 1, and
// rounds to 1). That it loses digits is what float32 means. Throws RequestError.
void expect_float32_holds(const harness::Config& config);

}  // namespace rootdk
