#pragma once
// The schema of attention_cost and what its keys mean.
#include <vector>

#include "attention_cost/attention_bench.hpp"
#include "rootdk/harness/request.hpp"

namespace rootdk {

harness::ExperimentSpec attention_cost_spec();

// The sizes to measure, n ascending. Throws RequestError when one does not fit in memory on every path
// that is asked for.
std::vector<theory::LayerSizes> layer_sizes(const harness::Config& config);
// The paths to measure them on.
std::vector<AttentionKind> attention_paths(const harness::Config& config);

// The counts of theory/attention_cost.hpp for a path.
theory::PartCounts operations_of(AttentionKind path, theory::Pass pass,
                                 const theory::LayerSizes& sizes);
theory::PartCounts numbers_held_of(AttentionKind path, theory::Pass pass,
                                   const theory::LayerSizes& sizes);
std::int64_t crossover_of(AttentionKind path, theory::Pass pass, const theory::LayerSizes& sizes);

BenchOptions bench_options(const harness::Config& config);

}  // namespace rootdk
