#include "common/retrieval_config.hpp"

#include <algorithm>
#include <cmath>

#include "common/memory_limit.hpp"
#include "rootdk/attention/score_rule.hpp"

namespace rootdk {
namespace {

using harness::CellPoint;
using harness::Config;
using harness::Key;
using harness::Kind;

template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

Key integer(const char* name, const char* initial, double least, const char* help) {
  return {.name = name,
          .kind = Kind::integer,
          .defaults = {initial},
          .range = harness::at_least(least),
          .help = help};
}

Key word(const char* name, const char* initial, std::vector<std::string> words, const char* help) {
  return {.name = name,
          .kind = Kind::word,
          .defaults = {initial},
          .words = std::move(words),
          .help = help};
}

Key sweeping(Key key, std::vector<std::string> values) {
  key.list = true;
  key.defaults = std::move(values);
  return key;
}

double bytes_of_element(const Config& config) { return config.word("dtype") == "float32" ? 4 : 8; }

// Everything a running cell holds, rows of its log included; infinite when there is no such task.
double cell_bytes(const Config& point) {
  const CellConfig cell = cell_config(point);
  constexpr double bytes_of_logged_step = 2048;
  try {
    const TaskInfo info = find_task(cell.task).info(cell.task_parameters);
    return estimated_bytes(cell, info, bytes_of_element(point)) +
           bytes_of_logged_step * static_cast<double>(cell.steps / cell.log_every + 1);
  } catch (const TaskError&) {
    return INFINITY;  // its sizes contradict each other
  }
}

void check_fits(const harness::Request& request, const std::vector<CellPoint>& cells) {
  const MemoryNeed need{
      .bytes = cell_bytes,
      .sizes = {"d_k", "n_tokens", "batch_size", "slot_dim", "n_classes", "n_keys", "steps"},
      .at_once = std::min<std::size_t>(static_cast<std::size_t>(request.threads), cells.size())};
  for (const CellPoint& cell : cells) expect_fits_in_memory(request.config, cell.config, need);
}

void check_task(const Config& config, const Config& point) {
  const CellConfig cell = cell_config(point);
  try {
    find_task(cell.task).info(cell.task_parameters);
  } catch (const TaskError& error) {
    throw config.error(error.key, error.what());
  }
  if (cell.task == "lookup" && cell.task_parameters.n_queries != 1) {
    throw config.error("n_queries", "n_queries = " + point.word("n_queries") +
                                        ": in task lookup every token asks, leave n_queries at 1");
  }
  if (cell.optimizer != "sgd" && cell.optimizer_config.momentum != 0) {
    throw config.error("momentum", "momentum = " + point.word("momentum") +
                                       " is for optimizer sgd; with " + cell.optimizer +
                                       " leave it at 0");
  }
}

}  // namespace

harness::ExperimentSpec retrieval_spec() {
  const Key number{.kind = Kind::real};
  Key lr{.name = "lr", .kind = Kind::real, .range = harness::above(0), .help = "learning rate"};
  Key scale{.name = "scale",
            .kind = Kind::word_or_real,
            .words = names_of(score_rule_table()),
            .help = "factor on the raw scores Q K^T, by name or as a number"};
  Key seed{.name = "seed",
           .kind = Kind::unsigned_integer,
           .help = "of tables, initial weights and batches"};
  Key momentum{.name = "momentum",
               .kind = Kind::real,
               .defaults = {"0"},
               .range = harness::half_open(0, 1),
               .help = "of sgd"};
  Key weight_decay{.name = "weight_decay",
                   .kind = Kind::real,
                   .defaults = {"0"},
                   .range = harness::at_least(0),
                   .help = "pull of the weights towards 0"};
  Key save_weights{
      .name = "save_weights",
      .kind = Kind::boolean,
      .defaults = {"false"},
      .help = "also write weights/*.npy: w_q, w_k, w_v of each cell, at start and end"};
  return {
      .name = "train_retrieval",
      .description =
          "Learns W_Q, W_K and W_V on a retrieval task for every combination of the listed values, "
          "and logs what the gradients do along the way: runs.csv, steps.csv, probes.csv.",
      .keys = {
          sweeping(word("task", "", names_of(task_table()), "what is to be retrieved"), {"lookup"}),
          sweeping(scale, {"none", "inv_sqrt_dk"}),
          sweeping(integer("n_tokens", "", 2, "keys per sequence"), {"64"}),
          sweeping(integer("d_k", "", 1, "width of queries and keys"), {"16", "64", "256", "1024"}),
          sweeping(word("optimizer", "", names_of(optimizer_table()), "how weights are updated"),
                   {"sgd"}),
          sweeping(lr, {"0.3", "1", "3"}),
          sweeping(seed, {"1", "2", "3"}),
          integer("slot_dim", "32", 1, "width of one slot of a token"),
          integer("n_classes", "8", 2, "values that can be retrieved"),
          integer("n_keys", "0", 0, "size of the key vocabulary; 0: the task's own choice"),
          integer("n_queries", "1", 1, "queries per sequence, in associative_recall"),
          integer("batch_size", "8", 1, "sequences per batch"),
          integer("steps", "400", 0, "updates"),
          integer("log_every", "10", 1, "steps between rows of steps.csv and probes.csv"),
          momentum,
          weight_decay,
          integer("evaluate_every", "200", 1, "steps between evaluations"),
          integer("evaluation_sequences", "512", 1, "sequences of an evaluation, at least"),
          word("dtype", "float32", {"float32", "float64"}, "precision of training"),
          word("gemm", "cblas", {"cblas", "reference"}, "how matrix products are computed"),
          save_weights,
          integer("dump_batches", "0", 0,
                  "also write the first batches of the task as batches/*.npy"),
      }};
}

CellConfig cell_config(const Config& point) {
  CellConfig cell;
  cell.task = point.word("task");
  cell.task_parameters = {.n_tokens = point.integer("n_tokens"),
                          .slot_dim = point.integer("slot_dim"),
                          .n_classes = point.integer("n_classes"),
                          .n_keys = point.integer("n_keys"),
                          .n_queries = point.integer("n_queries"),
                          .batch_size = point.integer("batch_size"),
                          .seed = point.unsigned_integer("seed")};
  cell.scale = point.word("scale");
  cell.d_k = point.integer("d_k");
  cell.optimizer = point.word("optimizer");
  cell.optimizer_config.lr = point.real("lr");
  cell.optimizer_config.momentum = point.real("momentum");
  cell.optimizer_config.weight_decay = point.real("weight_decay");
  cell.steps = point.integer("steps");
  cell.log_every = point.integer("log_every");
  cell.evaluate_every = point.integer("evaluate_every");
  cell.evaluation_sequences = point.integer("evaluation_sequences");
  cell.gemm = gemm_backend(point.word("gemm"));
  return cell;
}

std::vector<CellPoint> retrieval_cells(const harness::Request& request) {
  std::vector<CellPoint> cells = harness::product(request.config);
  for (const CellPoint& cell : cells) check_task(request.config, cell.config);
  check_fits(request, cells);
  return cells;
}

double relative_cost(const CellPoint& point) {
  const CellConfig cell = cell_config(point.config);
  const TaskInfo info = find_task(cell.task).info(cell.task_parameters);
  const auto n = static_cast<double>(cell.task_parameters.n_tokens);
  const auto n_q = static_cast<double>(info.n_queries), m = static_cast<double>(info.d_model);
  const auto d = static_cast<double>(cell.d_k + info.d_v);
  const double per_sequence = (n + n_q) * m * d + n_q * n * (d + 32);  // 32: softmax, in products
  return static_cast<double>(cell.steps + 1) * per_sequence *
         static_cast<double>(cell.task_parameters.batch_size);
}

}  // namespace rootdk
