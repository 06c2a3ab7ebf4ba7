#pragma once
// The two tables of bench_training_step.
#include <filesystem>
#include <vector>

#include "bench/bench_config.hpp"
#include "bench/step_times.hpp"
#include "rootdk/harness/run_sweep.hpp"

namespace rootdk {

// bench      a row a shape: microseconds of a step, the peer's over ours (empty without a peer), and
//            the share of our step that its matrix products alone take.
// streaming  a row a length and path that fits in memory: microseconds of one forward and backward
//            pass of the attention core, and the bytes it held.
std::vector<harness::CsvTable> bench_tables();
void write_step(const StepShape& shape, const StepTimes& times, harness::CsvRows& bench);
void write_core(const CorePoint& point, const CoreCost& cost, harness::CsvRows& streaming);

// Both tables of a run on the terminal, with the geometric mean and the least of the ratios, and what
// was left out. `peer` is peer_description().
void print_bench(const std::filesystem::path& run, const harness::Config& config,
                 const std::string& peer);

}  // namespace rootdk
