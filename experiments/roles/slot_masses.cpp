#include "roles/slot_masses.hpp"

#include <algorithm>

#include "roles/roles_config.hpp"
#include "rootdk/probes/slot_mass.hpp"
#include "rootdk/training/training_cell.hpp"

namespace rootdk {
namespace {

// Appends the rows of one cell, whose first columns are always the same.
struct Writer {
  const CellConfig& config;
  harness::CellOutput& out;

  template <class... Fields>
  void append(std::string_view table, const Fields&... fields) {
    out.rows(table).append(config.d_k, config.optimizer_config.weight_decay,
                           config.task_parameters.seed, fields...);
  }
};

template <class T>
void write_masses(const Projections<T>& projections, Index step, Writer& writer) {
  const Index width = writer.config.task_parameters.slot_dim;
  const probes::Slot ask{0, width}, key{width, width}, value{2 * width, width};
  const auto& [w_q, w_k, w_v] = projections;
  for (const Parameter<T>* matrix : {&w_q, &w_k, &w_v}) {
    const auto mass = [&](probes::Slot slot) { return probes::slot_mass(matrix->value(), slot); };
    writer.append("roles", step, matrix->name, "ask", mass(ask));
    writer.append("roles", step, matrix->name, "key", mass(key));
    writer.append("roles", step, matrix->name, "value", mass(value));
  }
  writer.append("roles", step, "w_q_w_k", "ask_key",
                probes::product_block_mass(w_q.value(), w_k.value(), ask, key));
}

// The attention of the first evaluation sequence under the weights as they stand.
template <class T>
void write_map(Projections<T>& projections, std::string_view moment, Index queries,
               Writer& writer) {
  TaskParameters one = writer.config.task_parameters;
  one.batch_size = 1;
  const auto task = make_task<T>(writer.config.task, one);
  RetrievalGraph<T> graph(projections, task->info(), 1, one.n_tokens,
                          {.rule = score_rule(writer.config.scale), .gemm = writer.config.gemm},
                          Weights::frozen);
  task->sample(Split::evaluation, 0, graph.batch());
  graph.tape().replay();
  const View<const T> weights = graph.attention().weights.value();
  for (Index i = 0; i < std::min(queries, one.n_tokens); ++i) {
    for (Index j = 0; j < one.n_tokens; ++j) {
      writer.append("attention_map", moment, i, j, graph.batch().right_key(0, i), weights(0, i, j));
    }
  }
}

}  // namespace

template <class T>
void train_slots(const harness::CellPoint& point, bool with_map, harness::CellOutput& out) {
  const CellConfig config = slot_config(point.config);
  const Index log_every = point.config.integer("log_every");
  const Index map_queries = with_map ? point.config.integer("map_queries") : 0;
  Writer writer{config, out};
  TrainingCell<T> cell(config);
  write_map(cell.projections(), "start", map_queries, writer);
  for (Index step = 0; !cell.done(); ++step) {
    if (step % log_every == 0 || step == config.steps) {
      write_masses<T>(cell.projections(), step, writer);
    }
    cell.step();
    out.advance();
  }
  write_map(cell.projections(), "end", map_queries, writer);
  const CellResult& result = cell.result();
  result.final_loss ? writer.append("roles_runs", "ok", *result.final_loss, result.accuracy)
                    : writer.append("roles_runs", "diverged", harness::empty_cell, result.accuracy);
}

template void train_slots<float>(const harness::CellPoint&, bool, harness::CellOutput&);
template void train_slots<double>(const harness::CellPoint&, bool, harness::CellOutput&);

}  // namespace rootdk
