// The signal share of dL/dW_Q, measured along the way by a training cell.
#include <cmath>

#include "catch.hpp"
#include "support/small_cell.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

namespace {

CellConfig measured_cell(Index signal_batches) {
  CellConfig config = small_cell();
  config.steps = 12;
  config.signal_batches = signal_batches;
  return config;
}

// Signal share at step 0 of the shipped sizes.
double share_at_step_0(const char* scale, std::uint64_t seed) {
  CellConfig config;
  config.scale = scale;
  config.d_k = 1024;
  config.task_parameters.seed = seed;
  config.steps = 0;
  config.evaluation_sequences = 8;
  config.signal_batches = 16;
  TrainingCell<float> cell(config);
  cell.step();
  return cell.steps()[0].signal_share.value();
}

struct Mean {
  double mean = 0, standard_error = 0;
};
Mean mean_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  double sum = 0, square = 0;
  for (const double x : values) sum += x;
  for (const double x : values) square += (x - sum / n) * (x - sum / n);
  return {sum / n, std::sqrt(square / (n - 1) / n)};
}

}  // namespace

TEST_CASE("signal share: measuring it changes neither training nor evaluation", "[training]") {
  TrainingCell<float> with(measured_cell(5)), without(measured_cell(0));
  run(with);
  run(without);
  CHECK(values(with.projections().w_q.value()) == values(without.projections().w_q.value()));
  CHECK(with.result().accuracy == without.result().accuracy);
  REQUIRE(with.steps().size() == without.steps().size());
  for (std::size_t i = 0; i < with.steps().size(); ++i) {
    CHECK(with.steps()[i].signal_share.has_value());
    CHECK_FALSE(without.steps()[i].signal_share.has_value());
    for (const StepColumn& column : step_columns) {
      CHECK(with.steps()[i].*column.value == without.steps()[i].*column.value);
    }
  }
  CHECK_THROWS_AS(TrainingCell<float>(measured_cell(1)), std::invalid_argument);
}

TEST_CASE("signal share: the gradients are those of probe batches under the weights of the step",
          "[training]") {
  const Index K = 6;
  TrainingCell<double> cell(measured_cell(K));
  const CellConfig config = measured_cell(0);
  const auto task = make_task<double>(config.task, config.task_parameters);
  Projections<double> start(task->info().d_model, config.d_k, task->info().d_v, 1);
  RetrievalGraph<double> graph(start, task->info(), 4, 8, {.rule = score_rule(config.scale)},
                               Weights::trained);
  std::vector<std::vector<double>> gradients;
  for (std::uint64_t k = 0; k < 6; ++k) {
    task->sample(Split::probe, k, graph.batch());
    graph.tape().replay();
    graph.tape().backward(graph.loss());
    gradients.push_back(values(start.w_q.grad()));
  }
  double pairs = 0, squares = 0;  // |E g|^2 as the mean product of different batches
  for (std::size_t k = 0; k < 6; ++k) {
    for (std::size_t l = 0; l < 6; ++l) {
      double product = 0;
      for (std::size_t i = 0; i < gradients[k].size(); ++i)
        product += gradients[k][i] * gradients[l][i];
      (k == l ? squares : pairs) += product;
    }
  }
  cell.step();
  CHECK(cell.steps()[0].signal_share.value() ==
        Approx((pairs / 30) / (squares / 6)).epsilon(1e-10));
}

TEST_CASE("headline: at step 0 and d_k 1024 the gradient of W_Q is mostly noise without the scale",
          "[headline]") {
  std::vector<double> without, with;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    without.push_back(share_at_step_0("none", seed));
    with.push_back(share_at_step_0("inv_sqrt_dk", seed));
  }
  const Mean none = mean_of(without), scaled = mean_of(with);
  INFO("none " << none.mean << " +- " << none.standard_error << ", scaled " << scaled.mean << " +- "
               << scaled.standard_error);
  // Five times larger, and the excess over five times is not one of the seeds' scatter.
  const double excess = scaled.mean - 5 * none.mean;
  const double error = std::hypot(scaled.standard_error, 5 * none.standard_error);
  CHECK(excess > 0);
  CHECK(excess > 1.5 * error);
}
