#pragma once
// The schema of attention_cost and what its keys mean.
#include <vector>

#include "common/attention_bench.hpp"
#include "rootdk/harness/request.hpp"

namespace rootdk {

harness::ExperimentSpec attention_cost_spec();

// The sizes to measure, n ascending. Throws RequestError when one does not fit in memory.
std::vector<theory::LayerSizes> layer_sizes(const harness::Config& config);

BenchOptions bench_options(const harness::Config& config);
std::size_t bytes_of_number(const harness::Config& config);

}  // namespace rootdk
