#include "saturation_at_init/saturation_config.hpp"

#include <algorithm>
#include <cmath>

#include "common/memory_limit.hpp"
#include "common/schema_keys.hpp"
#include "rootdk/attention/score_rule.hpp"
#include "rootdk/harness/number_text.hpp"
#include "rootdk/training/initial_queries.hpp"

namespace rootdk {
namespace {

using harness::CellPoint;
using harness::Key;

// The keys of a query, and every measurement of every query until they are summarised.
double cell_bytes(const SaturationCell& cell) {
  constexpr double per_query = sizeof(double) * (measured_quantities.size() + 4);
  return static_cast<double>(cell.n_queries) * static_cast<double>(cell.scales.size()) * per_query +
         static_cast<double>(cell.n_tokens) * (static_cast<double>(cell.d_k) * 8 + 100);
}

// A score is about |s| sqrt(d_k), and below 2^7 times that. Rows of scores run in float32 too, whatever
// dtype is (float32_weight_one and so on), and their kurtosis takes fourth powers in float64. While
// |s| sqrt(d_k) is from 2^-100 to 2^100 scores stay below 2^107 < 2^128, powers between 2^-400 and
// 2^428, and the theory, which takes |s| sqrt(d_k) to the same powers, is finite.
void check_scale(const harness::Config& config, std::int64_t d_k, const std::string& scale) {
  const double root = std::sqrt(static_cast<double>(d_k));
  const double least = 0x1p-100 / root, most = 0x1p100 / root;
  const double s = std::fabs(score_rule(scale).factor(d_k));
  if (s == 0 || (s >= least && s <= most)) return;
  throw config.error("scale",
                     "scale = " + scale + ": with d_k = " + std::to_string(d_k) +
                         " it must be 0 or, without its sign, from " + harness::number_text(least) +
                         " to " + harness::number_text(most) +
                         ", so that scores are finite in float32 and their powers in float64");
}

void check_memory(const harness::Request& request, const std::vector<CellPoint>& cells) {
  const MemoryNeed need{
      .bytes = [](const harness::Config& point) { return cell_bytes(saturation_cell(point)); },
      .sizes = {"n_queries", "d_k", "n_tokens"},
      .at_once = std::min(static_cast<std::size_t>(request.threads), cells.size())};
  for (const CellPoint& cell : cells) expect_fits_in_memory(request.config, cell.config, need);
}

}  // namespace

harness::ExperimentSpec saturation_spec() {
  return {.name = "saturation_at_init",
          .description =
              "Draws queries and keys from N(0, I) and measures, before any training, how far "
              "softmax saturates over n_tokens, d_k and the scale, beside theory: statistics.csv, "
              "attention_rows.csv.",
          .keys = {
              Key{.name = "n_tokens",
                  .list = true,
                  .defaults = {"16", "64"},
                  .range = harness::at_least(2),
                  .help = "keys per query"},
              Key{.name = "d_k",
                  .list = true,
                  .defaults = {"1", "4", "16", "64", "256", "1024"},
                  .range = harness::at_least(1),
                  .help = "width of queries and keys"},
              sweeping(scale_key("factor on the raw scores q . k, by name or as a number"),
                       {"none", "inv_sqrt_dk", "inv_dk"}),
              Key{.name = "n_queries",
                  .defaults = {"20000"},
                  .range = harness::at_least(2),
                  .help = "queries per n_tokens and d_k, each with keys of its own"},
              seed_key("of all draws"),
              dtype_key("float64", "precision of queries, keys and scores"),
          }};
}

SaturationCell saturation_cell(const harness::Config& point) {
  return {.n_tokens = point.integer("n_tokens"),
          .d_k = point.integer("d_k"),
          .n_queries = point.integer("n_queries"),
          .scales = point.words("scale"),
          .seed = point.unsigned_integer("seed"),
          .single = is_float32(point)};
}

std::vector<CellPoint> saturation_cells(const harness::Request& request) {
  for (const std::int64_t d_k : request.config.integers("d_k")) {
    for (const std::string& scale : request.config.words("scale")) {
      check_scale(request.config, d_k, scale);
    }
  }
  std::vector<CellPoint> cells = harness::product(request.config, {"n_tokens", "d_k"});
  check_memory(request, cells);
  return cells;
}

double saturation_cost(const CellPoint& point) {
  const SaturationCell cell = saturation_cell(point.config);
  constexpr double scores = 100;  // the work a score takes beside its key, in entries of a key
  return static_cast<double>(cell.n_tokens) * (static_cast<double>(cell.d_k) + scores);
}

}  // namespace rootdk
