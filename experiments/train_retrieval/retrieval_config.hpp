#pragma once
// From keys of a config to training cells: the schema of train_retrieval, and what a point of its
// sweep means.
#include <vector>

#include "rootdk/harness/cell.hpp"
#include "rootdk/harness/request.hpp"
#include "rootdk/harness/run_directory.hpp"
#include "rootdk/training/cell_config.hpp"

namespace rootdk {

harness::ExperimentSpec retrieval_spec();

// What one point of the sweep trains.
CellConfig cell_config(const harness::Config& point);

// All points of the sweep, checked before anything starts: every task exists with these sizes, keys
// do not contradict each other, and the cells that run at once fit in memory. Throws RequestError.
std::vector<harness::CellPoint> retrieval_cells(const harness::Request& request);

// Which cells multiply their scores in which order, for meta.json.
harness::Facts order_facts(const std::vector<harness::CellPoint>& cells);

// The time of a cell, as relative_cost_of.
double relative_cost(const harness::CellPoint& point);

}  // namespace rootdk
