#include "bench/attention_core.hpp"

#include <array>
#include <chrono>
#include <numeric>

#include "common/median.hpp"
#include "common/timed_graph.hpp"

namespace rootdk {
namespace {

// As training records it: nobody reads the raw scores.
template <AttentionKind kind, bool causal>
Var<float> core(Var<float> Q, Var<float> K, Var<float> V, GemmBackend gemm) {
  return attention(Q, K, V,
                   {.mask = {.causal = causal}, .gemm = gemm, .kind = kind, .keep_scores = false})
      .output;
}

constexpr std::array<CorePath, 4> paths{{
    {"materialised", core<AttentionKind::materialised, false>},
    {"materialised_causal", core<AttentionKind::materialised, true>},
    {"streaming", core<AttentionKind::streaming, false>},
    {"streaming_causal", core<AttentionKind::streaming, true>},
}};

class Core {
 public:
  Core(const CorePath& path, Index n, GemmBackend gemm, std::uint64_t seed) : graph_(true, seed) {
    const Shape shape{1, n, core_width};
    const Var<float> Q = graph_.input(shape, "q"), K = graph_.input(shape, "k"),
                     V = graph_.input(shape, "v");
    graph_.ends_in(path.attend(Q, K, V, gemm));
  }
  void run() {
    graph_.forward();
    graph_.backward();
  }
  std::size_t bytes() const { return graph_.tape_bytes() + graph_.gradient_bytes(); }

 private:
  TimedGraph<float> graph_;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double total(const std::vector<double>& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

}  // namespace

std::span<const CorePath> core_paths() { return paths; }

CoreCost measure_core(const CorePath& path, Index n, const CoreOptions& options) {
  Core core(path, n, options.gemm, options.seed);
  std::vector<double> seconds;
  do {
    const auto start = std::chrono::steady_clock::now();
    core.run();
    seconds.push_back(seconds_since(start));
    options.each();
  } while (seconds.size() <= options.repeats && total(seconds) < options.budget);
  if (seconds.size() > 1) seconds.erase(seconds.begin());  // the first warmed up
  return {median(std::move(seconds)), core.bytes()};
}

double expected_core_bytes(const CorePath& path, Index n) {
  // Newton's polynomial through three lengths.
  constexpr Index step =
      256;  // at least a tile of streaming attention: shorter sequences fill none
  const auto bytes = [&](Index at) {
    return static_cast<double>(Core(path, at, default_gemm, 1).bytes());
  };
  const double first = bytes(step), second = bytes(2 * step), third = bytes(3 * step);
  const double t = static_cast<double>(n) / static_cast<double>(step) - 1;
  return first + t * (second - first) + t * (t - 1) / 2 * (third - 2 * second + first);
}

}  // namespace rootdk
