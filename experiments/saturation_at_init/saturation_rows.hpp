#pragma once
// Measures one cell of saturation_at_init and writes its rows.
#include <vector>

#include "rootdk/harness/run_sweep.hpp"
#include "saturation_at_init/saturation_config.hpp"

namespace rootdk {

// statistics.csv (a row a statistic, with its standard error and what theory expects) and
// attention_rows.csv (the weights of the first few queries, the largest first).
std::vector<harness::CsvTable> saturation_tables();

// T: the precision of queries, keys and scores. Same cell, same rows, whatever runs next to it.
template <class T>
void measure_cell(const SaturationCell& cell, harness::CellOutput& out);

}  // namespace rootdk
