#pragma once
#include <functional>
#include <string>
#include <vector>

#include "rootdk/harness/cell.hpp"
#include "rootdk/harness/request.hpp"
#include "rootdk/training/cell_config.hpp"

namespace rootdk {

// What a point of a sweep trains.
using CellOfPoint = std::function<CellConfig(const harness::Config&)>;

// The cells that run at once fit in this machine's memory. Throws RequestError that names the one
// of the integer keys `sizes` that takes most. The schema has a key `dtype`.
void check_memory(const harness::Request& request, const std::vector<harness::CellPoint>& cells,
                  const CellOfPoint& cell_of, const std::vector<std::string>& sizes);

}  // namespace rootdk
