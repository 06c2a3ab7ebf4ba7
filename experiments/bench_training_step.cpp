// How fast is a training step? Beside the same step in PyTorch's C++ library, beside the matrix
// products that it cannot do without, and, of attention alone, over long sequences.
#include "bench/bench_rows.hpp"
#include "bench/freed_memory.hpp"
#include "common/build_facts.hpp"
#include "common/memory_limit.hpp"

using namespace rootdk;

namespace {

void measure_steps(const harness::Config& config, const std::vector<StepShape>& shapes,
                   harness::CellOutput& out) {
  const auto rounds = static_cast<std::size_t>(config.integer("rounds"));
  for (const StepShape& shape : shapes) {
    TrainingStep ours(shape, step_options(config, shape), config.unsigned_integer("seed"));
    const std::unique_ptr<Peer> peer = config.boolean("peer") ? make_peer(ours.inputs()) : nullptr;
    const StepTimes times = time_step(ours, peer.get(), rounds, [&] { out.advance(); });
    write_step(shape, times, out.rows("bench"));
  }
}

void measure_cores(const harness::Config& config, harness::CellOutput& out) {
  CoreOptions options = core_options(config);
  options.each = [&] { out.advance(); };
  for (const CorePoint& point : core_points(config)) {
    if (point.bytes > largest_memory_share * available_memory()) continue;  // the terminal says so
    write_core(point, measure_core(*point.path, point.n_tokens, options), out.rows("streaming"));
  }
}

// What meta.json says; malloc is told here, before there are threads.
harness::Facts facts(const harness::Config& config) {
  harness::Facts facts = build_facts();
  const bool kept = config.boolean("keep_freed_memory") && keep_freed_memory();
  facts.emplace_back("freed_memory", kept ? "kept" : "as malloc is set");
  const std::string peer = peer_description();
  facts.emplace_back("peer", peer.empty() ? "none" : peer);
  return facts;
}

}  // namespace

int main(int argc, char** argv) {
  return harness::run_main(argc, argv, bench_spec(), [](const harness::Request& request) {
    const std::vector<StepShape> shapes = step_shapes(request.config);
    // Everything is one cell: no measurement has a neighbour, whatever --threads is.
    const std::vector<harness::CellPoint> cells = harness::product(request.config, {});
    run_sweep(request, bench_tables(), cells, {.facts = facts(request.config)},
              [&](const harness::CellPoint& point, harness::CellOutput& out) {
                measure_steps(point.config, shapes, out);
                measure_cores(point.config, out);
              });
    if (!request.dry_run && !request.quiet) {
      print_bench(request.out, request.config, peer_description());
    }
  });
}
