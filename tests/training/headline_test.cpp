// What the README claims about training and about step 0, on one seed: the shipped sizes, few cells.
#include "catch.hpp"
#include "rootdk/training/training_cell.hpp"

using namespace rootdk;

namespace {

CellConfig headline(const char* scale, Index d_k, double lr, std::uint64_t seed = 1) {
  CellConfig config;  // lookup, n_tokens 64, slot_dim 32, batch 8, SGD, 400 steps
  config.scale = scale;
  config.d_k = d_k;
  config.optimizer_config.lr = lr;
  config.task_parameters.seed = seed;
  config.log_every = 100;
  config.evaluate_every = 1000;
  config.evaluation_sequences = 64;
  return config;
}

double accuracy_after_400_steps(const char* scale, Index d_k, double lr) {
  TrainingCell<float> cell(headline(scale, d_k, lr));
  while (!cell.done()) cell.step();
  return cell.result().accuracy.value();
}

const ProbeRow& probe(const TrainingCell<float>& cell, std::string_view quantity) {
  for (const ProbeRow& row : cell.probes()) {
    if (row.quantity->name == quantity) return row;
  }
  throw std::out_of_range("no such quantity");
}

}  // namespace

TEST_CASE("headline: after 400 steps at lr 1 the scaled model has learned, the unscaled has not",
          "[headline]") {
  CHECK(accuracy_after_400_steps("inv_sqrt_dk", 256, 1) > 0.98);
  CHECK(accuracy_after_400_steps("none", 256, 1) < 0.35);
  CHECK(accuracy_after_400_steps("inv_sqrt_dk", 16, 1) > 0.98);
}

TEST_CASE(
    "headline: at step 0 and d_k 1024 the typical query is dead without the scale, while the "
    "gradient of W_Q is larger",
    "[headline]") {
  const auto seed = GENERATE(as<std::uint64_t>{}, 1, 2, 3, 4, 5);
  TrainingCell<float> unscaled(headline("none", 1024, 1, seed));
  TrainingCell<float> scaled(headline("inv_sqrt_dk", 1024, 1, seed));
  unscaled.step();
  scaled.step();
  CHECK(probe(unscaled, "softmax_jacobian_norm").summary.median < 5e-3);
  const double jacobian = probe(scaled, "softmax_jacobian_norm").summary.median;
  CHECK(jacobian > 0.15);
  CHECK(jacobian < 0.21);
  CHECK(probe(unscaled, "score_grad_norm").summary.dead_1e_3 > 0.4);
  CHECK(probe(scaled, "score_grad_norm").summary.dead_1e_3 < 0.02);
  CHECK(unscaled.steps()[0].grad_w_q > 5 * scaled.steps()[0].grad_w_q);
}
