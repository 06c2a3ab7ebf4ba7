#include "attention_cost/attention_cost_config.hpp"

#include <algorithm>

#include "common/memory_limit.hpp"
#include "common/schema_keys.hpp"

namespace rootdk {
namespace {

using harness::Config;
using harness::Key;

Key size(const char* name, const char* initial, double least, const char* help) {
  return {.name = name,
          .defaults = {initial},
          .range = harness::between(least, static_cast<double>(theory::largest_size)),
          .help = help};
}

theory::LayerSizes sizes_at(const Config& config, std::int64_t n_tokens) {
  return {.n_tokens = n_tokens,
          .d_model = config.integer("d_model"),
          .d_k = config.integer("d_k"),
          .d_v = config.integer("d_v")};
}

double bytes_at(const Config& point) {
  const auto sizes = sizes_at(point, point.integer("n_tokens"));
  const AttentionKind path = attention_kind(point.word("attention"));
  return static_cast<double>(numbers_held_of(path, theory::Pass::backward, sizes).layer()) *
         static_cast<double>(bytes_of_number(point));
}

}  // namespace

harness::ExperimentSpec attention_cost_spec() {
  Key n_tokens = size("n_tokens", "", 2, "sequence lengths n");
  n_tokens.list = true;
  n_tokens.defaults = {"32",   "64",   "128",  "256",  "384",  "512", "768",
                       "1024", "1536", "2048", "3072", "4096", "8192"};
  return {.name = "attention_cost",
          .description =
              "Counts and measures what one self-attention layer costs over the sequence length, "
              "forward and backward, with its weights in memory and in tiles: "
              "attention_cost.csv, slopes.csv, crossover.csv. Lengths are "
              "measured one after the other on one thread, whatever --threads is, in processor "
              "time: run it on a quiet machine.",
          .keys = {
              n_tokens,
              size("d_model", "128", 1, "width of a token"),
              size("d_k", "64", 1, "width of queries and keys"),
              size("d_v", "64", 1, "width of values"),
              sweeping(attention_key("scores and weights in memory, or in tiles"),
                       names_of(attention_kind_table())),
              {.name = "repeats",
               .defaults = {"9"},
               .range = harness::between(1, 10000),
               .help = "timed repeats of each measurement"},
              seed_key("of inputs and weights"),
              dtype_key("float32", "precision"),
              gemm_key(),
          }};
}

std::vector<theory::LayerSizes> layer_sizes(const Config& config) {
  const MemoryNeed need{.bytes = bytes_at, .sizes = {"n_tokens", "d_model", "d_k", "d_v"}};
  for (const std::string& path : config.words("attention")) {
    for (const std::string& n : config.words("n_tokens")) {
      expect_fits_in_memory(config, config.with("attention", path).with("n_tokens", n), need);
    }
  }
  std::vector<std::int64_t> lengths = config.integers("n_tokens");
  std::sort(lengths.begin(), lengths.end());
  std::vector<theory::LayerSizes> result;
  for (const std::int64_t n : lengths) result.push_back(sizes_at(config, n));
  return result;
}

std::vector<AttentionKind> attention_paths(const Config& config) {
  std::vector<AttentionKind> paths;
  for (const std::string& word : config.words("attention")) paths.push_back(attention_kind(word));
  return paths;
}

theory::PartCounts operations_of(AttentionKind path, theory::Pass pass,
                                 const theory::LayerSizes& sizes) {
  return path == AttentionKind::streaming ? theory::operations(pass, sizes, theory::Tiles{})
                                          : theory::operations(pass, sizes);
}

theory::PartCounts numbers_held_of(AttentionKind path, theory::Pass pass,
                                   const theory::LayerSizes& sizes) {
  return path == AttentionKind::streaming ? theory::numbers_held(pass, sizes, theory::Tiles{})
                                          : theory::numbers_held(pass, sizes);
}

std::int64_t crossover_of(AttentionKind path, theory::Pass pass, const theory::LayerSizes& sizes) {
  return path == AttentionKind::streaming ? theory::crossover(pass, sizes, theory::Tiles{})
                                          : theory::crossover(pass, sizes);
}

BenchOptions bench_options(const Config& config) {
  return {.repeats = static_cast<std::size_t>(config.integer("repeats")),
          .seed = config.unsigned_integer("seed"),
          .gemm = gemm_backend(config.word("gemm"))};
}

}  // namespace rootdk
