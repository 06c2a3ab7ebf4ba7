#include "roles/roles_config.hpp"

#include <algorithm>

#include "common/float32_config.hpp"
#include "common/memory_check.hpp"
#include "common/schema_keys.hpp"

namespace rootdk {
namespace {

using harness::CellPoint;
using harness::Config;
using harness::Key;

std::vector<CellPoint> slot_cells(const Config& config) {
  return harness::product(config, {"d_k", "weight_decay", "seed"});
}

CellConfig first_ablation(const Config& point) {
  return ablation_config(point, point.unsigned_integers("seed").front());
}

// `prefix` stands before the names of keys that the task's parameters have.
void check_task(const Config& config, const CellConfig& cell, const std::string& prefix) {
  try {
    find_task(cell.task).info(cell.task_parameters);
  } catch (const TaskError& error) {
    throw config.error(prefix + error.key, prefix + error.what());
  }
}

}  // namespace

harness::ExperimentSpec roles_spec() {
  const Key seed = seed_key("of tables, initial weights and batches; the ablation pools its seeds");
  const harness::Range positive = harness::above(0), not_negative = harness::at_least(0);
  return {.name = "roles",
          .description =
              "What W_Q, W_K and W_V specialise in: the slots of a token that they read, on lookup "
              "(roles.csv, attention_map.csv). And what is lost without them: projections untied, "
              "tied or none, and trained ones exchanged, on successor (ablation.csv).",
          .keys = {
              sweeping(integer_key("d_k", "", 1, "width of queries and keys, on lookup"),
                       {"16", "64", "256"}),
              sweeping(real_key("weight_decay", "", not_negative, "pull of the weights towards 0"),
                       {"0", "0.001"}),
              sweeping(seed, {"1", "2", "3"}),
              scale_key(),
              integer_key("n_tokens", "64", 2, "tokens per sequence"),
              integer_key("slot_dim", "32", 1, "width of one slot of a token"),
              integer_key("n_classes", "8", 2, "values that can be retrieved"),
              integer_key("batch_size", "8", 1, "sequences per batch"),
              real_key("lr", "1", positive, "learning rate of sgd"),
              integer_key("steps", "1500", 0, "updates"),
              integer_key("log_every", "50", 1, "steps between rows of roles.csv"),
              samples_key("evaluation_sequences", "128", 1, "sequences of an evaluation, at least"),
              integer_key("map_queries", "16", 0, "queries of one sequence in attention_map.csv"),
              sweeping(word_key("projections", "", names_of(projection_kind_table()),
                                "what becomes of W_Q, W_K and W_V, on successor"),
                       {"untied", "tied", "none"}),
              integer_key("ablation_d_k", "32", 1, "width of queries and keys"),
              integer_key("ablation_n_tokens", "12", 2, "tokens per sequence, a multiple of 3"),
              integer_key("ablation_n_keys", "24", 0, "symbols, a multiple of 3"),
              integer_key("ablation_slot_dim", "32", 1, "width of the embedding of a symbol"),
              integer_key("ablation_n_classes", "32", 2, "values that can be retrieved"),
              integer_key("ablation_batch_size", "64", 1, "sequences per batch"),
              real_key("ablation_lr", "0.003", positive, "learning rate of adam"),
              integer_key("ablation_steps", "1200", 0, "updates"),
              samples_key("ablation_evaluation_sequences", "4096", 1,
                          "sequences of an evaluation, a query each"),
              dtype_key("float32", "precision of training"),
              gemm_key(),
          }};
}

CellConfig slot_config(const Config& point) {
  CellConfig cell;
  cell.task = "lookup";
  cell.task_parameters = {.n_tokens = point.integer("n_tokens"),
                          .slot_dim = point.integer("slot_dim"),
                          .n_classes = point.integer("n_classes"),
                          .batch_size = point.integer("batch_size"),
                          .seed = point.unsigned_integer("seed")};
  cell.scale = point.word("scale");
  cell.d_k = point.integer("d_k");
  cell.optimizer_config.lr = point.real("lr");
  cell.optimizer_config.weight_decay = point.real("weight_decay");
  cell.steps = point.integer("steps");
  cell.log_every = cell.evaluate_every = std::max<Index>(cell.steps, 1);  // at both ends only
  cell.evaluation_sequences = point.integer("evaluation_sequences");
  cell.gemm = gemm_backend(point.word("gemm"));
  return cell;
}

CellConfig ablation_config(const Config& point, std::uint64_t seed) {
  CellConfig cell;
  cell.task = "successor";
  cell.task_parameters = {.n_tokens = point.integer("ablation_n_tokens"),
                          .slot_dim = point.integer("ablation_slot_dim"),
                          .n_classes = point.integer("ablation_n_classes"),
                          .n_keys = point.integer("ablation_n_keys"),
                          .batch_size = point.integer("ablation_batch_size"),
                          .seed = seed};
  cell.scale = point.word("scale");
  cell.d_k = point.integer("ablation_d_k");
  cell.projections = projection_kind(point.word("projections"));
  cell.optimizer = "adam";
  cell.optimizer_config.lr = point.real("ablation_lr");
  cell.steps = point.integer("ablation_steps");
  cell.log_every = cell.evaluate_every = std::max<Index>(cell.steps, 1);
  cell.evaluation_sequences = 1;  // what is evaluated, and when, is decided elsewhere
  cell.gemm = gemm_backend(point.word("gemm"));
  return cell;
}

std::vector<CellPoint> roles_cells(const harness::Request& request) {
  expect_float32_holds(request.config);
  std::vector<CellPoint> cells = slot_cells(request.config);
  check_task(request.config, slot_config(cells.front().config), "");
  check_memory(request, cells, slot_config,
               {"d_k", "n_tokens", "batch_size", "slot_dim", "n_classes"});
  std::vector<CellPoint> kinds = harness::product(request.config, {"projections"});
  check_task(request.config, first_ablation(kinds.front().config), "ablation_");
  check_memory(request, kinds, first_ablation,
               {"ablation_d_k", "ablation_n_tokens", "ablation_batch_size", "ablation_slot_dim",
                "ablation_n_classes", "ablation_n_keys"});
  for (CellPoint& kind : kinds) {
    kind.number = cells.size();
    cells.push_back(std::move(kind));
  }
  return cells;
}

bool is_slot_cell(const CellPoint& point, const harness::Request& request) {
  return point.number < slot_cells(request.config).size();
}

std::vector<harness::CsvTable> roles_tables() {
  const std::vector<std::string> slots{"d_k", "weight_decay", "seed"};
  const auto after = [&](std::vector<std::string> columns) {
    columns.insert(columns.begin(), slots.begin(), slots.end());
    return columns;
  };
  return {{.name = "roles", .columns = after({"step", "matrix", "slot", "mass"})},
          {.name = "roles_runs", .columns = after({"status", "final_loss", "final_accuracy"})},
          {.name = "attention_map",
           .columns = after({"moment", "query", "key", "right_key", "weight"})},
          {.name = "ablation",
           .columns = {"projections", "intervention", "target", "accuracy", "ci_low", "ci_high"}},
          {.name = "ablation_seeds",
           .columns = {"projections", "intervention", "target", "seed", "correct", "asked",
                       "chance", "blind"}}};
}

}  // namespace rootdk
