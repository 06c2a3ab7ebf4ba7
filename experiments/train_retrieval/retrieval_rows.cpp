#include "train_retrieval/retrieval_rows.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

#include "common/npy.hpp"
#include "common/schema_keys.hpp"
#include "train_retrieval/retrieval_config.hpp"

namespace rootdk {
namespace {

const std::vector<std::string> sweep_columns{"run", "task",      "scale", "n_tokens",
                                             "d_k", "optimizer", "lr",    "seed"};

std::string padded(std::size_t number, int width) {
  std::ostringstream text;
  text << std::setw(width) << std::setfill('0') << number;
  return text.str();
}

template <class T>
Batch<T> batch_on(Arena& arena, const TaskInfo& info, const TaskParameters& parameters) {
  const Index B = parameters.batch_size;
  Batch<T> batch;
  batch.tokens = arena.tensor<T>(Shape{B, parameters.n_tokens, info.d_model});
  if (!info.self_attention) batch.queries = arena.tensor<T>(Shape{B, info.n_queries, info.d_model});
  batch.labels = arena.tensor<std::int32_t>(Shape{B, info.n_queries});
  batch.right_key = arena.tensor<std::int32_t>(Shape{B, info.n_queries});
  return batch;
}

bool same_batches(const CellConfig& a, const CellConfig& b) {
  return a.task == b.task && a.task_parameters.n_tokens == b.task_parameters.n_tokens &&
         a.task_parameters.seed == b.task_parameters.seed;
}

}  // namespace

std::vector<harness::CsvTable> retrieval_tables(const harness::ExperimentSpec& spec) {
  std::vector<std::string> parameters = sweep_columns;
  for (const harness::Key& key : spec.keys) {
    const bool known =
        std::find(parameters.begin(), parameters.end(), key.name) != parameters.end();
    if (!known) parameters.push_back(key.name);
  }
  std::vector<std::string> step_names = names_of(step_columns);
  step_names.insert(step_names.begin(), "step");
  step_names.push_back("signal_share");
  return {{.name = "runs",
           .keys = parameters,
           .columns = {"d_model", "chance", "score_order", "status", "final_loss", "final_accuracy",
                       "steps_to_90", "divergence"}},
          {.name = "steps", .keys = sweep_columns, .columns = step_names},
          {.name = "probes",
           .keys = sweep_columns,
           .columns = {"step", "quantity", "statistic", "value"}}};
}

template <class T>
void write_rows(const TrainingCell<T>& cell, harness::CellOutput& out) {
  for (const StepRow& row : cell.steps()) {
    std::apply(
        [&](const auto&... column) {
          out.rows("steps").append(row.step, row.*column.value..., row.signal_share);
        },
        step_columns);
  }
  for (const ProbeRow& row : cell.probes()) {
    for (const probes::StatisticName& statistic : probes::statistic_names) {
      if (!applies(*row.quantity, statistic)) continue;
      out.rows("probes").append(row.step, row.quantity->name, statistic.name,
                                row.summary.*statistic.value);
    }
  }
  const CellResult& result = cell.result();
  const TaskInfo& task = cell.task();
  out.rows("runs").append(task.d_model, task.chance, to_string(cell.order()),
                          result.diverged ? "diverged" : "ok", result.final_loss, result.accuracy,
                          result.steps_to_90, result.divergence);
}

template <class T>
void write_weights(Projections<T>& projections, const harness::CellPoint& point,
                   std::string_view suffix, harness::CellOutput& out) {
  for (const Parameter<T>* parameter : projections.all()) {
    out.write_file("weights/run_" + padded(point.number, 4) + "_" + parameter->name +
                       std::string(suffix) + ".npy",
                   npy_bytes(parameter->value()));
  }
}

template <class T>
void write_batches(const harness::CellPoint& point, const std::vector<harness::CellPoint>& cells,
                   harness::CellOutput& out) {
  const auto count = static_cast<std::size_t>(point.config.integer("dump_batches"));
  const CellConfig config = cell_config(point.config);
  const auto first = std::find_if(cells.begin(), cells.end(), [&](const harness::CellPoint& other) {
    return same_batches(cell_config(other.config), config);
  });
  if (count == 0 || first->number != point.number) return;
  const TaskParameters& parameters = config.task_parameters;
  const auto task = make_task<T>(config.task, parameters);
  Arena arena;
  const Batch<T> batch = batch_on<T>(arena, task->info(), parameters);
  for (std::size_t step = 0; step < count; ++step) {
    task->sample(Split::train, step, batch);
    const std::string stem = "batches/" + config.task + "_n" + std::to_string(parameters.n_tokens) +
                             "_seed" + std::to_string(parameters.seed) + "/step_" + padded(step, 3);
    out.write_file(stem + "_tokens.npy", npy_bytes(View<const T>(batch.tokens)));
    if (batch.queries)
      out.write_file(stem + "_queries.npy", npy_bytes(View<const T>(batch.queries)));
    out.write_file(stem + "_labels.npy", npy_bytes(View<const std::int32_t>(batch.labels)));
    out.write_file(stem + "_right_key.npy", npy_bytes(View<const std::int32_t>(batch.right_key)));
  }
}

template void write_rows(const TrainingCell<float>&, harness::CellOutput&);
template void write_rows(const TrainingCell<double>&, harness::CellOutput&);
template void write_weights(Projections<float>&, const harness::CellPoint&, std::string_view,
                            harness::CellOutput&);
template void write_weights(Projections<double>&, const harness::CellPoint&, std::string_view,
                            harness::CellOutput&);
template void write_batches<float>(const harness::CellPoint&,
                                   const std::vector<harness::CellPoint>&, harness::CellOutput&);
template void write_batches<double>(const harness::CellPoint&,
                                    const std::vector<harness::CellPoint>&, harness::CellOutput&);

}  // namespace rootdk
