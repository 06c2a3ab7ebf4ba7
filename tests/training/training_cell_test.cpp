#include "rootdk/training/training_cell.hpp"

#include <cmath>

#include "catch.hpp"
#include "support/small_cell.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

namespace {

std::vector<double> losses(const std::vector<StepRow>& rows) {
  std::vector<double> result;
  for (const StepRow& row : rows) result.push_back(row.loss);
  return result;
}

}  // namespace

TEST_CASE("training: rows at 0, every log_every and once at the last step", "[training]") {
  CellConfig config = small_cell();
  config.steps = GENERATE(0, 1, 10, 12);
  TrainingCell<float> cell(config);
  run(cell);
  std::vector<Index> wanted;
  for (Index s = 0; s < config.steps; s += config.log_every) wanted.push_back(s);
  wanted.push_back(config.steps);
  std::vector<Index> found;
  for (const StepRow& row : cell.steps()) found.push_back(row.step);
  CHECK(found == wanted);
  CHECK(cell.probes().size() == wanted.size() * query_quantities.size());
  CHECK(cell.result().final_loss == cell.steps().back().loss);
}

TEST_CASE("training: how often it logs or evaluates changes no loss and no weight", "[training]") {
  CellConfig sparse = small_cell(), dense = small_cell();
  sparse.log_every = 30;
  sparse.evaluate_every = 1000;
  dense.log_every = 1;
  dense.evaluate_every = 1;
  TrainingCell<float> a(sparse), b(dense);
  run(a);
  run(b);
  CHECK(a.steps().back().loss == b.steps().back().loss);
  CHECK(a.result().accuracy == b.result().accuracy);
  CHECK(values(a.projections().w_q.value()) == values(b.projections().w_q.value()));
}

TEST_CASE("training: the same config gives the same bits, another seed does not", "[training]") {
  const CellConfig config = small_cell();
  TrainingCell<float> a(config), b(config);
  run(a);
  run(b);
  CHECK(losses(a.steps()) == losses(b.steps()));
  CellConfig other = config;
  other.task_parameters.seed = 2;
  TrainingCell<float> c(other);
  run(c);
  CHECK(losses(a.steps()) != losses(c.steps()));
}

TEST_CASE("training: cells that differ in scale or rate share weights, batches and tables",
          "[training]") {
  CellConfig a = small_cell(), b = small_cell();
  b.scale = "none";
  b.optimizer_config.lr = 0.1;
  b.optimizer = "adam";
  TrainingCell<double> first(a), second(b);
  CHECK(values(first.projections().w_k.value()) == values(second.projections().w_k.value()));
  first.step();
  second.step();
  // Scores of step 0 differ by the factor alone.
  CHECK(second.steps()[0].logit_std == Approx(first.steps()[0].logit_std * std::sqrt(8.0)));
}

TEMPLATE_TEST_CASE("training: the tasks are learned", "[training]", float, double) {
  CellConfig config = small_cell();
  config.task = GENERATE(as<std::string>{}, "lookup", "associative_recall");
  config.task_parameters.n_classes = 8;
  config.task_parameters.slot_dim = 16;
  config.task_parameters.n_queries = config.task == "lookup" ? 1 : 4;
  config.d_k = 16;
  config.optimizer_config.lr = config.task == "lookup" ? 1 : 0.5;
  config.steps = 500;
  config.task_parameters.batch_size = 16;
  config.evaluation_sequences = 200;
  TrainingCell<TestType> cell(config);
  cell.step();
  const double before = cell.result().accuracy.value();
  run(cell);
  CHECK(before < 0.35);
  CHECK(cell.result().accuracy.value() > 0.95);
  CHECK(cell.result().steps_to_90.has_value());
  CHECK(cell.steps().back().hit > 0.8);
}

TEST_CASE("training: every optimizer of the table learns", "[training]") {
  CellConfig config = small_cell();
  for (const OptimizerRow& row : optimizer_table()) {
    CAPTURE(row.name);
    config.optimizer = row.name;
    config.optimizer_config.lr = row.has_momentum ? 1 : 0.01;
    config.steps = 200;
    TrainingCell<float> cell(config);
    run(cell);
    CHECK(cell.result().accuracy.value() > 0.9);
  }
}

TEST_CASE("training: momentum changes the path of an optimizer that has it, and of no other",
          "[training]") {
  CellConfig config = small_cell();
  config.optimizer_config.lr = 0.01;
  config.steps = 3;
  for (const OptimizerRow& row : optimizer_table()) {
    CAPTURE(row.name);
    config.optimizer = row.name;
    config.optimizer_config.momentum = 0;
    TrainingCell<float> without(config);
    config.optimizer_config.momentum = 0.9;
    TrainingCell<float> with(config);
    run(without);
    run(with);
    CHECK((with.result().final_loss != without.result().final_loss) == row.has_momentum);
  }
}

TEST_CASE("training: a cell that blows up is diverged, and says where", "[training][guard]") {
  CellConfig config = small_cell();
  config.optimizer_config.lr = 1e30;
  TrainingCell<float> cell(config);
  cell.step();
  const double before = cell.result().accuracy.value();
  run(cell);
  CHECK(cell.result().diverged);
  CHECK_FALSE(cell.result().final_loss.has_value());
  CHECK(cell.result().accuracy == before);
  CHECK_THAT(cell.result().divergence, ROOTDK_CONTAINS("step 1") || ROOTDK_CONTAINS("step 2"));
  CHECK_THAT(cell.result().divergence, ROOTDK_CONTAINS("not finite"));
  for (const StepRow& row : cell.steps()) CHECK(std::isfinite(row.loss));
}

TEST_CASE("training: a loss beyond 87 is reported as it is", "[training]") {
  CellConfig config = small_cell();
  config.scale = "none";
  config.d_k = 64;
  config.optimizer_config.lr = 100;
  config.steps = 50;
  config.log_every = 1;
  TrainingCell<float> cell(config);
  run(cell);
  double largest = 0;
  for (const StepRow& row : cell.steps()) largest = std::max(largest, row.loss);
  CHECK(largest > 104);  // -log of the smallest float is 103.3
}

TEMPLATE_TEST_CASE("training: memory is estimated from above and to a quarter", "[training]", float,
                   double) {
  CellConfig config;
  config.task_parameters = {.n_tokens = 64, .slot_dim = 32, .n_classes = 8, .batch_size = 8};
  config.d_k = GENERATE(16, 1024);
  config.attention = GENERATE(AttentionKind::materialised, AttentionKind::streaming);
  if (GENERATE(false, true)) {  // so short that what each query takes on its own counts
    config.task_parameters = {.n_tokens = 2, .slot_dim = 2, .n_classes = 2, .batch_size = 20000};
    config.d_k = 4;
    config.order = GENERATE(ScoreOrder::direct, ScoreOrder::merged);
  }
  TrainingCell<TestType> cell(config);
  const double estimate = estimated_bytes(config, cell.task(), sizeof(TestType));
  double parameters = 0;
  for (const auto* parameter : cell.projections().all()) {
    parameters += 2.0 * sizeof(TestType) * static_cast<double>(parameter->shape.size());
  }
  const double used = static_cast<double>(cell.bytes()) + parameters;
  CHECK(estimate > used);
  CHECK(estimate < 1.25 * used);
}

TEST_CASE("training: of an optimizer's memory as many numbers a weight are estimated as it keeps",
          "[training]") {
  CellConfig config;
  const auto bytes = [&](std::string_view optimizer, double momentum) {
    config.optimizer = optimizer;
    config.optimizer_config.momentum = momentum;
    return estimated_bytes(config, find_task(config.task).info(config.task_parameters), 4);
  };
  const TaskInfo info = find_task(config.task).info(config.task_parameters);
  const auto weights = static_cast<double>(info.d_model * (2 * config.d_k + info.d_v));
  const double plain = bytes("sgd", 0);
  CHECK(bytes("sgd", 0.9) - plain == 4 * weights);
  CHECK(bytes("adam", 0) - plain == 2 * 4 * weights);
  CHECK(bytes("adamw", 0.9) - plain == 2 * 4 * weights);
}

TEST_CASE("training: as many steps are logged as were counted", "[training]") {
  CellConfig config = small_cell();
  config.steps = GENERATE(0, 1, 9, 10, 11);
  config.log_every = GENERATE(1, 5, 10, 100);
  TrainingCell<float> cell(config);
  run(cell);
  CHECK(static_cast<Index>(cell.steps().size()) == logged_steps(config));
}

TEST_CASE("training: a cell that diverges before any evaluation has no accuracy", "[training]") {
  CellConfig config = small_cell();
  config.scale = "1e300";
  TrainingCell<float> cell(config);
  run(cell);
  CHECK(cell.result().diverged);
  CHECK_FALSE(cell.result().accuracy.has_value());
}
