// What does one self-attention layer cost over the sequence length n? Exact counts of operations
// and memory, measured time and memory beside them, how they grow, and from which n on the n^2 part
// costs more than the projections.
#include "attention_cost/attention_cost_config.hpp"
#include "attention_cost/attention_cost_rows.hpp"
#include "common/build_facts.hpp"
#include "common/schema_keys.hpp"

using namespace rootdk;

int main(int argc, char** argv) {
  return harness::run_main(argc, argv, attention_cost_spec(), [](const harness::Request& request) {
    const std::vector<theory::LayerSizes> sizes = layer_sizes(request.config);
    // All lengths are one cell: no measurement has a neighbour, whatever --threads is.
    const std::vector<harness::CellPoint> cells = harness::product(request.config, {});
    run_sweep(request, attention_cost_tables(), cells, {.facts = build_facts()},
              [&](const harness::CellPoint& point, harness::CellOutput& out) {
                BenchOptions options = bench_options(point.config);
                options.each = [&] { out.advance(); };
                const bool single = is_float32(point.config);
                const std::vector<AttentionKind> paths = attention_paths(point.config);
                std::vector<LengthMeasured> lengths;
                for (const theory::LayerSizes& at : sizes) {
                  for (const AttentionKind path : paths) {
                    options.attention = path;
                    lengths.push_back({path, at, bytes_of_number(point.config),
                                       single ? measure_attention<float>(at, options)
                                              : measure_attention<double>(at, options)});
                  }
                }
                write_rows(lengths, out);
              });
    if (!request.dry_run && !request.quiet) print_summary(request.out);
  });
}
