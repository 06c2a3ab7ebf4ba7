#pragma once
// What a training cell leaves behind: rows of three tables, and on request its weights and batches.
#include <vector>

#include "rootdk/harness/run_sweep.hpp"
#include "rootdk/training/training_cell.hpp"

namespace rootdk {

// runs, steps and probes; the columns of runs are all keys of the schema and the results.
std::vector<harness::CsvTable> retrieval_tables(const harness::ExperimentSpec& spec);

template <class T>
void write_rows(const TrainingCell<T>& cell, harness::CellOutput& out);

// weights/run_0012_w_q<suffix>.npy and those of w_k and w_v.
template <class T>
void write_weights(Projections<T>& projections, const harness::CellPoint& point,
                   std::string_view suffix, harness::CellOutput& out);

// batches/lookup_n64_seed1/step_000_tokens.npy, ..._queries (where tokens do not ask), ..._labels and
// ..._right_key: as many of the first training batches as `dump_batches` says. Many cells train on the
// same ones; of these only the first writes.
template <class T>
void write_batches(const harness::CellPoint& point, const std::vector<harness::CellPoint>& cells,
                   harness::CellOutput& out);

}  // namespace rootdk
