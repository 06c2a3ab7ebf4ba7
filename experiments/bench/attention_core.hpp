#pragma once
// The attention core alone over long sequences: what it costs in time and memory, by each way to
// compute it.
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include "rootdk/attention/attention.hpp"

namespace rootdk {

// A way from Q, K and V (1, n, d) to O; a new one is one row.
struct CorePath {
  std::string_view name;
  Var<float> (*attend)(Var<float> Q, Var<float> K, Var<float> V, GemmBackend gemm);
};
std::span<const CorePath> core_paths();

inline constexpr Index core_width = 64;  // d_k and d_v

struct CoreOptions {
  GemmBackend gemm = default_gemm;
  std::uint64_t seed = 1;
  std::size_t repeats = 9;
  double budget = 1;                   // seconds: once they are spent no pass is begun
  std::function<void()> each = [] {};  // called after every repeat
};

struct CoreCost {
  double seconds = 0;     // of one forward and backward pass by the clock on the wall, the median
  std::size_t bytes = 0;  // the tape, with all that its ops keep, and the gradient of O
};

// float32, one sequence of n tokens, one head; entries of Q, K, V and of the gradient of O from
// N(0, 1). The first pass is not counted, unless it is the only one that the budget allows.
CoreCost measure_core(const CorePath& path, Index n, const CoreOptions& options);

// The bytes that measure_core will report at n, without taking them: a tape grows as a + b n + c n^2,
// and three short ones tell the factors. For n of at least 256.
double expected_core_bytes(const CorePath& path, Index n);

}  // namespace rootdk
