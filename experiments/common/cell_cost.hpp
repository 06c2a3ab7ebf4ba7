#pragma once
#include "rootdk/training/cell_config.hpp"

namespace rootdk {

// The time that a training takes, in arbitrary units: a sweep starts its longest cells first.
double relative_cost_of(const CellConfig& cell);

}  // namespace rootdk
