#include "train_retrieval/retrieval_config.hpp"

#include "common/cell_cost.hpp"
#include "common/float32_config.hpp"
#include "common/memory_check.hpp"
#include "common/schema_keys.hpp"

namespace rootdk {
namespace {

using harness::CellPoint;
using harness::Config;

void check_task(const Config& config, const Config& point) {
  const CellConfig cell = cell_config(point);
  const TaskInfo info = [&] {
    try {
      return find_task(cell.task).info(cell.task_parameters);
    } catch (const TaskError& error) {
      throw config.error(error.key, error.what());
    }
  }();
  if (info.self_attention && cell.task_parameters.n_queries != 1) {
    throw config.error("n_queries", "n_queries = " + point.word("n_queries") + ": in task " +
                                        cell.task + " every token asks, leave n_queries at 1");
  }
  if (cell.signal_batches == 1) {
    throw config.error("signal_batches",
                       "signal_batches = 1: a share takes at least 2 batches; 0 leaves it out");
  }
  if (!find_optimizer(cell.optimizer).has_momentum && cell.optimizer_config.momentum != 0) {
    throw config.error("momentum", "momentum = " + point.word("momentum") + ": optimizer " +
                                       cell.optimizer + " has none, leave it at 0");
  }
}

}  // namespace

harness::ExperimentSpec retrieval_spec() {
  return {
      .name = "train_retrieval",
      .description =
          "Learns W_Q, W_K and W_V on a retrieval task for every combination of the listed values, "
          "and logs what the gradients do along the way: runs.csv, steps.csv, probes.csv.",
      .keys = {
          sweeping(word_key("task", "", names_of(task_table()), "what is to be retrieved"),
                   {"lookup"}),
          sweeping(scale_key(), {"none", "inv_sqrt_dk"}),
          sweeping(integer_key("n_tokens", "", 2, "keys per sequence"), {"64"}),
          sweeping(integer_key("d_k", "", 1, "width of queries and keys"),
                   {"16", "64", "256", "1024"}),
          sweeping(
              word_key("optimizer", "", names_of(optimizer_table()), "how weights are updated"),
              {"sgd"}),
          sweeping(real_key("lr", "", harness::above(0), "learning rate"), {"0.3", "1", "3"}),
          sweeping(seed_key("of tables, initial weights and batches"), {"1", "2", "3"}),
          integer_key("slot_dim", "32", 1, "width of one slot of a token"),
          integer_key("n_classes", "8", 2, "values that can be retrieved"),
          integer_key("n_keys", "0", 0, "size of the key vocabulary; 0: the task's own choice"),
          integer_key("n_queries", "1", 1,
                      "queries per sequence, where tokens do not ask themselves"),
          integer_key("batch_size", "8", 1, "sequences per batch"),
          integer_key("steps", "400", 0, "updates"),
          integer_key("log_every", "10", 1, "steps between rows of steps.csv and probes.csv"),
          samples_key("signal_batches", "0", 0,
                      "batches for the signal_share of dL/dW_Q in steps.csv; 0: not measured"),
          real_key("momentum", "0", harness::half_open(0, 1), "of sgd"),
          real_key("weight_decay", "0", harness::at_least(0), "pull of the weights towards 0"),
          integer_key("evaluate_every", "200", 1, "steps between evaluations"),
          samples_key("evaluation_sequences", "512", 1, "sequences of an evaluation, at least"),
          dtype_key("float32", "precision of training"),
          gemm_key(),
          order_key("of the products behind Q K^T; auto: the one with fewer operations"),
          attention_key("scores and weights in memory, or in tiles for long sequences"),
          boolean_key("save_weights", "false",
                      "also write weights/*.npy: w_q, w_k, w_v of each cell, at start and end"),
          {.name = "dump_batches",
           .defaults = {"0"},
           .range = harness::between(0, 10000),
           .help = "also write the first batches of the task as batches/*.npy"},
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
  cell.signal_batches = point.integer("signal_batches");
  cell.evaluate_every = point.integer("evaluate_every");
  cell.evaluation_sequences = point.integer("evaluation_sequences");
  cell.gemm = gemm_backend(point.word("gemm"));
  cell.order = order_of(point);
  cell.attention = attention_kind(point.word("attention"));
  return cell;
}

std::vector<CellPoint> retrieval_cells(const harness::Request& request) {
  expect_float32_holds(request.config);
  std::vector<CellPoint> cells = harness::product(request.config);
  for (const CellPoint& cell : cells) check_task(request.config, cell.config);
  check_memory(request, cells, cell_config,
               {"d_k", "n_tokens", "batch_size", "slot_dim", "n_classes", "n_keys", "steps"});
  return cells;
}

harness::Facts order_facts(const std::vector<CellPoint>& cells) {
  harness::Facts facts;
  for (const Named<ScoreOrder>& row : score_order_table()) {
    std::string where;
    for (const CellPoint& cell : cells) {
      const CellConfig config = cell_config(cell.config);
      const TaskInfo info = find_task(config.task).info(config.task_parameters);
      const std::string at = config.task + " n_tokens " + cell.config.word("n_tokens") + " d_k " +
                             cell.config.word("d_k");
      if (score_order(config, info) != row.value || where.find(at + ";") != std::string::npos) {
        continue;
      }
      where += (where.empty() ? "" : " ") + at + ";";
    }
    if (!where.empty()) where.pop_back();
    facts.emplace_back("order_" + std::string(row.name), where.empty() ? "no cell" : where);
  }
  return facts;
}

double relative_cost(const CellPoint& point) { return relative_cost_of(cell_config(point.config)); }

}  // namespace rootdk
