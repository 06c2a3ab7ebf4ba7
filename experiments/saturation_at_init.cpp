// No training: queries and keys are drawn, and softmax is looked at as it starts, over d_k, the
// number of keys and the scale, with the theory of how it saturates in the column beside.
#include "common/build_facts.hpp"
#include "saturation_at_init/saturation_config.hpp"
#include "saturation_at_init/saturation_rows.hpp"

using namespace rootdk;

int main(int argc, char** argv) {
  return harness::run_main(argc, argv, saturation_spec(), [](const harness::Request& request) {
    const std::vector<harness::CellPoint> cells = saturation_cells(request);
    const harness::SweepOptions options{
        .facts = build_facts(),
        .steps_per_cell = static_cast<std::uint64_t>(request.config.integer("n_queries")),
        .cost = saturation_cost};
    run_sweep(request, saturation_tables(), cells, options,
              [](const harness::CellPoint& point, harness::CellOutput& out) {
                const SaturationCell cell = saturation_cell(point.config);
                cell.single ? measure_cell<float>(cell, out) : measure_cell<double>(cell, out);
              });
  });
}
