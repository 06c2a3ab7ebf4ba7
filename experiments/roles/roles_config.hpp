#pragma once
// The two parts of `roles`, from keys of a config to cells: which slots the matrices learn to read
// (on lookup), and what is lost without them (on successor).
#include <cstdint>
#include <vector>

#include "rootdk/harness/request.hpp"
#include "rootdk/harness/run_sweep.hpp"
#include "rootdk/training/cell_config.hpp"

namespace rootdk {

harness::ExperimentSpec roles_spec();

// What is trained: one point of d_k x weight_decay x seed on lookup; one kind of projections on
// successor, whose point keeps the list of seeds.
CellConfig slot_config(const harness::Config& point);
CellConfig ablation_config(const harness::Config& point, std::uint64_t seed);

// First all cells of the slots, then one for each kind of projections. Checked before anything
// starts: both tasks exist with these sizes, and the cells fit in memory. Throws RequestError.
std::vector<harness::CellPoint> roles_cells(const harness::Request& request);
bool is_slot_cell(const harness::CellPoint& point, const harness::Request& request);

// roles, roles_runs, attention_map; ablation, ablation_seeds. No columns are filled in by the
// harness, as the parts sweep over different keys.
std::vector<harness::CsvTable> roles_tables();

}  // namespace rootdk
