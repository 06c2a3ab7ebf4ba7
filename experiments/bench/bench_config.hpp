#pragma once
// The schema of bench_training_step and what its keys mean.
#include <string>
#include <vector>

#include "bench/attention_core.hpp"
#include "bench/peer.hpp"
#include "rootdk/harness/request.hpp"
#include "rootdk/training/retrieval_graph.hpp"

namespace rootdk {

harness::ExperimentSpec bench_spec();

// "32x16x48x4" is B = 32, n = 16, d_model = 48, d_k = 4.
std::string to_string(const StepShape& shape);
// In the order of the configuration. Throws RequestError for what is no shape, and for one that does
// not fit in memory.
std::vector<StepShape> step_shapes(const harness::Config& config);

// How ours computes the step: by default as training does.
RetrievalOptions step_options(const harness::Config& config, const StepShape& shape);

// A point of the second part; it is left out when it would take more than this share of the memory
// available.
inline constexpr double largest_memory_share = 0.6;
struct CorePoint {
  const CorePath* path;
  Index n_tokens;
  double bytes;  // expected
};
// Every path at every length, lengths ascending; none when the second part is switched off.
std::vector<CorePoint> core_points(const harness::Config& config);
CoreOptions core_options(const harness::Config& config);

}  // namespace rootdk
