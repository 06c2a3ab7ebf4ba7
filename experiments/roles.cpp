// What the three projections specialise in, and what is lost without them: slot masses of W_Q, W_K
// and W_V while lookup is learned, and accuracy on successor with projections untied, tied, absent,
// or exchanged after training.
#include "common/build_facts.hpp"
#include "common/cell_cost.hpp"
#include "common/schema_keys.hpp"
#include "roles/ablation.hpp"
#include "roles/roles_config.hpp"
#include "roles/slot_masses.hpp"

using namespace rootdk;

template <class T>
void run(const harness::CellPoint& point, const harness::Request& request,
         harness::CellOutput& out) {
  if (!is_slot_cell(point, request)) return run_ablation<T>(point, out);
  // One map for each d_k and weight decay is enough: that of the first seed.
  const std::uint64_t first_seed = request.config.unsigned_integers("seed").front();
  train_slots<T>(point, point.config.unsigned_integer("seed") == first_seed, out);
}

int main(int argc, char** argv) {
  return harness::run_main(argc, argv, roles_spec(), [](const harness::Request& request) {
    const auto cost = [&](const harness::CellPoint& point) {
      if (is_slot_cell(point, request)) return relative_cost_of(slot_config(point.config));
      const auto seeds = point.config.unsigned_integers("seed");
      return static_cast<double>(seeds.size()) *
             relative_cost_of(ablation_config(point.config, seeds.front()));
    };
    const harness::SweepOptions options{
        .facts = build_facts(),
        .steps_per_cell = static_cast<std::uint64_t>(request.config.integer("steps")) + 1,
        .cost = cost};
    run_sweep(request, roles_tables(), roles_cells(request), options,
              [&](const harness::CellPoint& point, harness::CellOutput& out) {
                is_float32(point.config) ? run<float>(point, request, out)
                                         : run<double>(point, request, out);
              });
  });
}
