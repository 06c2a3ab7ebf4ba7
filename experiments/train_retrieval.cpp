// The main job: learn W_Q, W_K and W_V on a retrieval task, for every combination of score scale,
// d_k, learning rate and seed that the config lists, and log what the gradients do along the way.
#include <iostream>

#include "common/build_facts.hpp"
#include "common/schema_keys.hpp"
#include "train_retrieval/result_table.hpp"
#include "train_retrieval/retrieval_config.hpp"
#include "train_retrieval/retrieval_rows.hpp"

using namespace rootdk;

template <class T>
void train(const harness::CellPoint& point, const std::vector<harness::CellPoint>& cells,
           harness::CellOutput& out) {
  const CellConfig config = cell_config(point.config);
  const bool save_weights = point.config.boolean("save_weights");
  write_batches<T>(point, cells, out);
  TrainingCell<T> cell(config);
  if (save_weights) write_weights(cell.projections(), point, "_start", out);
  while (!cell.done()) {
    cell.step();
    out.advance();
  }
  if (save_weights) write_weights(cell.projections(), point, "", out);
  write_rows(cell, out);
}

int main(int argc, char** argv) {
  return harness::run_main(argc, argv, retrieval_spec(), [](const harness::Request& request) {
    const std::vector<harness::CellPoint> cells = retrieval_cells(request);
    harness::Facts facts = build_facts();
    const harness::Facts orders = order_facts(cells);
    facts.insert(facts.end(), orders.begin(), orders.end());
    const harness::SweepOptions options{
        .facts = facts,
        .steps_per_cell = static_cast<std::uint64_t>(request.config.integer("steps")) + 1,
        .cost = relative_cost};
    run_sweep(request, retrieval_tables(retrieval_spec()), cells, options,
              [&](const harness::CellPoint& point, harness::CellOutput& out) {
                is_float32(point.config) ? train<float>(point, cells, out)
                                         : train<double>(point, cells, out);
              });
    if (!request.dry_run && !request.quiet) print_results(request.out / "runs.csv", std::cout);
  });
}
