// Which learning rates train the same model with and without the scale, and how fast.
#include <algorithm>
#include <array>
#include <limits>

#include "claims/table.hpp"
#include "claims/training_runs.hpp"
#include "common/median.hpp"

namespace rootdk::claims {
namespace {

constexpr Index d_k = 256, steps = 500, n = 32;
constexpr std::array<double, 5> rates{0.1, 0.3, 1, 3, 10};

// How the trainings of one scale end, for each rate: how many reach 90 %, and the median of the steps
// it takes them, `never` unless more than half of them do.
struct Window {
  static constexpr double never = std::numeric_limits<double>::infinity();
  std::array<std::int64_t, rates.size()> arrived{};
  std::array<double, rates.size()> median_steps{};

  std::size_t fastest() const {
    return static_cast<std::size_t>(std::min_element(median_steps.begin(), median_steps.end()) -
                                    median_steps.begin());
  }
  double largest() const {
    double rate = 0;
    for (std::size_t r = 0; r < rates.size(); ++r) {
      if (median_steps[r] < never) rate = rates[r];
    }
    return rate;
  }
  std::int64_t usable() const {
    return std::count_if(median_steps.begin(), median_steps.end(),
                         [](double s) { return s < never; });
  }
};

Window window(const Budget& budget, std::string_view scale) {
  Window result;
  for (std::size_t r = 0; r < rates.size(); ++r) {
    std::vector<double> arrivals;
    for (const TrainingRun& run : train(budget, lookup_config(n, scale, d_k, rates[r], steps))) {
      const auto& reached = run.result.steps_to_90;
      arrivals.push_back(reached ? static_cast<double>(*reached) : Window::never);
      result.arrived[r] += reached ? 1 : 0;
    }
    result.median_steps[r] = median(std::move(arrivals));
  }
  return result;
}

std::string rate_text(double rate) { return to_string(equals(rate)); }

std::vector<Statistic> measure(const Budget& budget) {
  const Window with = window(budget, "inv_sqrt_dk"), without = window(budget, "none");
  const std::size_t tuned = with.fastest(), own = without.fastest();
  const std::string setting =
      "; " + std::to_string(steps) + " steps of lookup (n 32, d_k 256, SGD)";
  const std::string share = "share of trainings without the scale that reach 90 % at lr ";
  const std::string arriving = " of 0.1, 0.3, 1, 3, 10 at which the median training reaches 90 %, ";
  return {{.name = share + rate_text(rates[tuned]) + ", the fastest with it" + setting,
           .claimed = equals(0),
           .measured = share_of(without.arrived[tuned], budget.n_trainings)},
          {.name = share + rate_text(rates[own]) + ", the fastest without it" + setting,
           .claimed = equals(0),
           .measured = share_of(without.arrived[own], budget.n_trainings),
           .within_condition = false},
          {.name = "rates" + arriving + "unscaled" + setting,
           .measured = exact(static_cast<double>(without.usable())),
           .detail = true},
          {.name = "rates" + arriving + "scaled" + setting,
           .measured = exact(static_cast<double>(with.usable())),
           .detail = true},
          {.name = "largest rate" + arriving + "scaled over unscaled" + setting,
           .predicted = at_least(1),
           .measured = exact(with.largest() / without.largest())},
          {.name = "median steps to 90 % at the fastest rate, unscaled over scaled" + setting,
           .predicted = at_least(1),
           .measured = exact(without.median_steps[own] / with.median_steps[tuned])}};
}

}  // namespace

constinit const Claim training_stalls{
    .id = "training_stalls",
    .sentence = "Without the scale training stalls.",
    .condition = "the learning rate stays where it is best with the scale",
    .why =
        "At that rate scores run away until rows are frozen; at a smaller one the model arrives, "
        "later, for its gradients are larger, not smaller.",
    .measure = measure,
    .cost = 100};

}  // namespace rootdk::claims
