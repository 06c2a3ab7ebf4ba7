#include "bench/attention_core.hpp"

#include <array>
#include <chrono>
#include <numeric>

#include "bench/interleaved.hpp"
#include "rootdk/random.hpp"

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
  Core(const CorePath& path, Index n, GemmBackend gemm, std::uint64_t seed) {
    const Shape shape{1, n, core_width};
    const auto input = [&](std::string_view name) {
      const Var<float> var = tape_.variable(shape, name);
      fill(var.writable_value(), seed, name);
      return var;
    };
    const Var<float> Q = input("q"), K = input("k"), V = input("v");
    output_ = path.attend(Q, K, V, gemm);
    gradient_ = gradient_memory_.tensor<float>(output_.shape());
    fill(gradient_, seed, "gradient");
  }
  void run() {
    tape_.replay();
    tape_.backward(output_, gradient_);
  }
  std::size_t bytes() const { return tape_.bytes() + gradient_memory_.used(); }

 private:
  static void fill(const View<float>& view, std::uint64_t seed, std::string_view name) {
    Stream stream(StreamKey(seed, name, {view.shape[1], view.shape[2]}));
    fill_normal(stream, std::span(view.data, static_cast<std::size_t>(view.shape.size())));
  }

  Tape<float> tape_;
  Var<float> output_;
  Arena gradient_memory_;  // not the tape's: in a network it is the next layer's
  View<float> gradient_;
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
