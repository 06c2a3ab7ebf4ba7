#include "rootdk/optim/optimizer.hpp"

#include <array>
#include <cmath>

#include "catch.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

namespace {

// Parameters after each of `steps` updates of w under a constant gradient.
template <class T>
std::vector<double> path(std::string_view name, const OptimizerConfig& config, double w, double g,
                         int steps) {
  Parameter<T> parameter("w", Shape{1});
  parameter.value().data[0] = static_cast<T>(w);
  const std::array<Parameter<T>*, 1> all{&parameter};
  const auto optimizer = make_optimizer<T>(name, all, config);
  std::vector<double> result;
  for (int t = 0; t < steps; ++t) {
    parameter.grad().data[0] = static_cast<T>(g);
    optimizer->step();
    result.push_back(static_cast<double>(parameter.value().data[0]));
  }
  return result;
}

}  // namespace

TEMPLATE_TEST_CASE("sgd: without momentum each step is lr times the gradient", "[optim]", float,
                   double) {
  CHECK(path<TestType>("sgd", {.lr = 0.5}, 1, 0.25, 3) == std::vector<double>{0.875, 0.75, 0.625});
}

TEST_CASE("sgd: momentum sums a geometric series, weight decay shrinks geometrically", "[optim]") {
  // After t steps from 0 under g = 1 the velocity is (1 - mu^t) / (1 - mu).
  const auto moved = path<double>("sgd", {.lr = 0.1, .momentum = 0.5}, 0, 1, 10);
  double sum = 0;
  for (int t = 1; t <= 10; ++t) {
    sum -= 0.1 * (1 - std::pow(0.5, t)) / 0.5;
    CHECK(moved[static_cast<std::size_t>(t - 1)] == Approx(sum).epsilon(1e-14));
  }
  const auto decayed = path<double>("sgd", {.lr = 0.1, .weight_decay = 0.5}, 2, 0, 5);
  CHECK(decayed.back() == Approx(2 * std::pow(0.95, 5)).epsilon(1e-14));
}

TEST_CASE("adam: under a constant gradient every step is lr, whatever its size", "[optim]") {
  // Both corrected averages are then exact: a = g, b = g^2.
  for (const double g : {1e-3, 1.0, -50.0}) {
    const auto moved = path<double>("adam", {.lr = 0.01, .epsilon = 1e-16}, 0, g, 20);
    for (std::size_t t = 0; t < moved.size(); ++t) {
      const double wanted = -std::copysign(0.01 * static_cast<double>(t + 1), g);
      CHECK(moved[t] == Approx(wanted).epsilon(1e-9));
    }
  }
}

TEST_CASE("adam and adamw: weight decay goes into the gradient, or straight into the weights",
          "[optim]") {
  const OptimizerConfig config{.lr = 0.1, .weight_decay = 0.5};
  // No gradient: adamw only shrinks; adam follows the sign of the decay term with step lr.
  CHECK(path<double>("adamw", config, 2, 0, 3).back() ==
        Approx(2 * std::pow(0.95, 3)).epsilon(1e-12));
  CHECK(path<double>("adam", config, 2, 0, 1).back() == Approx(1.9).epsilon(1e-7));
}

TEST_CASE("adam: the first steps on a changing gradient are the published recursion", "[optim]") {
  Parameter<double> w("w", Shape{1});
  const std::array<Parameter<double>*, 1> all{&w};
  const OptimizerConfig config{.lr = 0.1, .beta1 = 0.8, .beta2 = 0.9, .epsilon = 1e-3};
  const auto optimizer = make_optimizer<double>("adam", all, config);
  double a = 0, b = 0, wanted = 0;
  for (int t = 1; t <= 5; ++t) {
    const double g = 1.0 / t - 0.4;
    w.grad().data[0] = g;
    optimizer->step();
    a = 0.8 * a + 0.2 * g;
    b = 0.9 * b + 0.1 * g * g;
    wanted -= 0.1 * (a / (1 - std::pow(0.8, t))) / (std::sqrt(b / (1 - std::pow(0.9, t))) + 1e-3);
    CHECK(w.value().data[0] == Approx(wanted).epsilon(1e-13));
  }
}

TEST_CASE("optimizers: every row of the table is made by its name, others are refused", "[optim]") {
  for (const OptimizerRow& row : optimizer_table()) {
    CHECK(path<float>(row.name, {.lr = 0.1}, 1, 1, 1).back() < 1);
  }
  CHECK_THROWS_WITH((make_optimizer<float>("sdg", {}, {})), ROOTDK_CONTAINS("sgd, adam, adamw"));
}
