#include "bench/bench_config.hpp"

#include <algorithm>
#include <optional>

#include "common/memory_limit.hpp"
#include "common/schema_keys.hpp"
#include "rootdk/harness/number_text.hpp"

namespace rootdk {
namespace {

using harness::Config;
using harness::Key;
using harness::Kind;

constexpr Index largest_size = 1 << 15;  // no product of four overflows

const std::vector<std::string> nine_shapes{"32x16x48x4",   "32x16x48x16",   "32x16x48x64",
                                           "32x16x48x256", "32x16x48x1024", "8x64x96x64",
                                           "8x64x96x1024", "1x512x96x64",   "1x2048x96x64"};

std::optional<StepShape> parse_shape(const std::string& text) {
  std::vector<Index> sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('x', begin), text.size());
    const auto size = harness::parse_integer(text.substr(begin, end - begin));
    if (!size || *size < 1 || *size > largest_size) return std::nullopt;
    sizes.push_back(*size);
    begin = end + 1;
  }
  if (sizes.size() != 4) return std::nullopt;
  return StepShape{sizes[0], sizes[1], sizes[2], sizes[3]};
}

// Ours and the peer's, each with values and gradients of X, Q, K, V, O and of S, Z, A.
double bytes_of_step(const StepShape& shape) {
  const auto B = static_cast<double>(shape.batch_size), n = static_cast<double>(shape.n_tokens),
             m = static_cast<double>(shape.d_model), d_k = static_cast<double>(shape.d_k);
  const double rows = B * n * (m + 2 * d_k + 3 * step_classes), scores = 3 * B * n * n;
  const double weights = m * (2 * d_k + step_classes);
  return sizeof(float) * 2 * 2 * (rows + scores + weights);
}

}  // namespace

harness::ExperimentSpec bench_spec() {
  Key shapes{.name = "shapes",
             .kind = Kind::text,
             .list = true,
             .defaults = nine_shapes,
             .help = "batch_size x n_tokens x d_model x d_k of the training steps"};
  Key n_tokens = sweeping(integer_key("n_tokens", "", 256, "lengths of the attention core"),
                          {"512", "1024", "2048", "4096", "8192", "16384"});
  return {.name = "bench_training_step",
          .description =
              "Times one training step (forward, loss, backward, SGD) of one attention head beside "
              "the same step in PyTorch's C++ library, where this program was built with it, and "
              "beside the matrix products of the step alone: bench.csv. Then the attention core "
              "over long sequences, time and memory: streaming.csv. All on one thread, whatever "
              "--threads is, by the clock on the wall: run it on a quiet machine.",
          .keys = {
              shapes,
              integer_key("rounds", "31", 1, "turns of each of the three; their median is kept"),
              boolean_key("peer", "true", "time the peer too, and check that it computes the same"),
              boolean_key("keep_freed_memory", "true",
                          "spare the peer the page faults of its allocations"),
              boolean_key("long_sequences", "true", "measure the attention core too"),
              sweeping(word_key("paths", "", names_of(core_paths()), "ways to compute the core"),
                       names_of(core_paths())),
              n_tokens,
              seed_key("of inputs, labels and weights"),
              word_key("dtype", "float32", {"float32"}, "precision; there is one"),
              order_key("of our products behind Q K^T; auto: the one with fewer operations"),
              attention_key("how our step computes it"),
              gemm_key(),
          }};
}

std::string to_string(const StepShape& shape) {
  return std::to_string(shape.batch_size) + "x" + std::to_string(shape.n_tokens) + "x" +
         std::to_string(shape.d_model) + "x" + std::to_string(shape.d_k);
}

std::vector<StepShape> step_shapes(const Config& config) {
  std::vector<StepShape> shapes;
  for (const std::string& text : config.words("shapes")) {
    const std::optional<StepShape> shape = parse_shape(text);
    if (!shape) {
      throw config.error("shapes", "shapes holds '" + text +
                                       "'; a shape is batch_size x n_tokens x d_model x d_k, four "
                                       "integers from 1 to " +
                                       std::to_string(largest_size) + ", as in 32x16x48x4");
    }
    shapes.push_back(*shape);
    expect_fits_in_memory(config, config.with("shapes", text),
                          {.bytes =
                               [](const Config& point) {
                                 const auto parsed = parse_shape(point.word("shapes"));
                                 return parsed ? bytes_of_step(*parsed) : 0;
                               },
                           .sizes = {"shapes"}});
  }
  return shapes;
}

RetrievalOptions step_options(const Config& config, const StepShape& shape) {
  const auto& [batch_size, n_tokens, d_model, d_k] = shape;
  const AttentionKind attention = attention_kind(config.word("attention"));
  const bool streaming = attention == AttentionKind::streaming;
  return {.gemm = gemm_backend(config.word("gemm")),
          .order = order_of(config).value_or(
              cheaper_order({batch_size, n_tokens, n_tokens, d_model, d_k, streaming})),
          .attention = attention};
}

std::vector<CorePoint> core_points(const Config& config) {
  if (!config.boolean("long_sequences")) return {};
  std::vector<std::int64_t> lengths = config.integers("n_tokens");
  std::sort(lengths.begin(), lengths.end());
  const std::vector<std::string>& chosen = config.words("paths");
  std::vector<CorePoint> points;
  for (const Index n : lengths) {
    for (const CorePath& path : core_paths()) {
      if (std::find(chosen.begin(), chosen.end(), path.name) == chosen.end()) continue;
      points.push_back({&path, n, expected_core_bytes(path, n)});
    }
  }
  return points;
}

CoreOptions core_options(const Config& config) {
  return {.gemm = gemm_backend(config.word("gemm")), .seed = config.unsigned_integer("seed")};
}

}  // namespace rootdk
