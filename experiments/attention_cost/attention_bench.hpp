#pragma once
// Runs one self-attention layer, whole and in its two parts, and measures time and memory.
#include <array>
#include <functional>

#include "attention_cost/timing.hpp"
#include "rootdk/attention/attention_kind.hpp"
#include "rootdk/gemm/gemm.hpp"
#include "rootdk/theory/attention_cost.hpp"

namespace rootdk {

struct BenchOptions {
  std::size_t repeats = 10;
  std::uint64_t seed = 1;
  GemmBackend gemm = default_gemm;
  AttentionKind attention = AttentionKind::materialised;
  std::function<void()> each = [] {};  // called after every repeat
};

// One pass of the layer. `bytes` is what its tape and its weights hold: for the forward pass a tape
// that wants no gradients, as in evaluation; for the backward pass one that has run forward.
struct PassMeasured {
  Timing layer, projections, attention;
  std::size_t bytes = 0;
};

// The layer of theory/attention_cost.hpp at these sizes, with entries of X from N(0, 1), W from
// N(0, 1/m) and the gradient of the output from N(0, 1). Runs on the calling thread.
template <class T>
std::array<PassMeasured, 2> measure_attention(const theory::LayerSizes& sizes,
                                              const BenchOptions& options);

}  // namespace rootdk
