#pragma once
#include "rootdk/harness/run_sweep.hpp"

namespace rootdk {

// Trains one model on lookup and writes, along the way, how much of each matrix reads each slot of
// a token: roles.csv. Rows at step s stand for the weights before update s. At its end a row of
// roles_runs. `with_map`: also the attention of one evaluation sequence, at start and end.
template <class T>
void train_slots(const harness::CellPoint& point, bool with_map, harness::CellOutput& out);

}  // namespace rootdk
