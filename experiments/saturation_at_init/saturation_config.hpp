#pragma once
// From keys of a config to cells of saturation_at_init. A cell is a number of keys and a width: its
// scales share the draws.
#include <string>
#include <vector>

#include "rootdk/autodiff/shape.hpp"
#include "rootdk/harness/cell.hpp"
#include "rootdk/harness/request.hpp"

namespace rootdk {

harness::ExperimentSpec saturation_spec();

struct SaturationCell {
  Index n_tokens = 0, d_k = 0, n_queries = 0;
  std::vector<std::string> scales;  // words of the config
  std::uint64_t seed = 0;
  bool single = false;  // draws and scores in float
};
SaturationCell saturation_cell(const harness::Config& point);

// All cells of the sweep. Throws RequestError when those that run at once do not fit in memory, and for
// a scale with which scores would leave float32, or their powers float64.
std::vector<harness::CellPoint> saturation_cells(const harness::Request& request);

// The time of a cell, in arbitrary units.
double saturation_cost(const harness::CellPoint& point);

}  // namespace rootdk
