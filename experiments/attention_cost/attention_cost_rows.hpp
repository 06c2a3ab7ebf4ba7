#pragma once
// The three tables of attention_cost.
#include <filesystem>
#include <vector>

#include "attention_cost/attention_bench.hpp"
#include "rootdk/harness/run_sweep.hpp"

namespace rootdk {

// Everything about one sequence length on one path.
struct LengthMeasured {
  AttentionKind path;
  theory::LayerSizes sizes;
  std::size_t bytes_of_number;
  std::array<PassMeasured, 2> passes;  // forward, backward
};

// attention_cost  a row a length, path, pass and part (layer = projections + attention). `*_exact` are
//                 counts, `*_measured` and seconds were observed; seconds are processor time.
//                 bytes_measured is of the tape and the weights, known for the whole layer only.
// slopes          a row a path and quantity: of log quantity over log n, on n >= 4 d_model; empty
//                 with fewer than 3 lengths.
// crossover       the n from which on attention costs more than the projections, by count and by
//                 the median time; empty when they do not change places between the lengths run.
std::vector<harness::CsvTable> attention_cost_tables();
void write_rows(const std::vector<LengthMeasured>& lengths, harness::CellOutput& out);

// slopes.csv and crossover.csv of a run on the terminal, in aligned columns.
void print_summary(const std::filesystem::path& run);

}  // namespace rootdk
