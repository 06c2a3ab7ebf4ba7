#pragma once
#include "rootdk/harness/run_sweep.hpp"
#include "worked_example/worked_attention.hpp"

namespace rootdk {

// <name>.npy and its twin <name>.csv for every matrix of the result.
void write_matrices(const WorkedResult& result, harness::CellOutput& out);

// The configuration of a run names files, which may have changed since. Throws
// harness::RequestError when the output folder holds a finished run of other matrices, which
// --resume would take for this one.
void check_same_inputs(const harness::Request& request, const WorkedResult& result);

}  // namespace rootdk
