#include "rootdk/optim/optimizer.hpp"

#include <array>
#include <stdexcept>
#include <string>

#include "rootdk/optim/adam.hpp"
#include "rootdk/optim/sgd.hpp"

namespace rootdk {
namespace {

template <class T>
std::unique_ptr<Optimizer<T>> sgd(Parameters<T> parameters, const OptimizerConfig& config) {
  return std::make_unique<Sgd<T>>(parameters, config);
}
template <class T, WeightDecay decay>
std::unique_ptr<Optimizer<T>> adam(Parameters<T> parameters, const OptimizerConfig& config) {
  return std::make_unique<Adam<T>>(parameters, config, decay);
}

constexpr std::array<OptimizerRow, 3> rows{{
    {"sgd", sgd<float>, sgd<double>},
    {"adam", adam<float, WeightDecay::coupled>, adam<double, WeightDecay::coupled>},
    {"adamw", adam<float, WeightDecay::decoupled>, adam<double, WeightDecay::decoupled>},
}};

}  // namespace

std::span<const OptimizerRow> optimizer_table() { return rows; }

template <class T>
std::unique_ptr<Optimizer<T>> make_optimizer(std::string_view name, Parameters<T> parameters,
                                             const OptimizerConfig& config) {
  std::string known;
  for (const OptimizerRow& row : rows) {
    if (row.name == name) {
      if constexpr (std::is_same_v<T, float>) {
        return row.make_float(parameters, config);
      } else {
        return row.make_double(parameters, config);
      }
    }
    known += (known.empty() ? "" : ", ") + std::string(row.name);
  }
  throw std::invalid_argument("unknown optimizer '" + std::string(name) + "', known: " + known);
}

template std::unique_ptr<Optimizer<float>> make_optimizer(std::string_view, Parameters<float>,
                                                          const OptimizerConfig&);
template std::unique_ptr<Optimizer<double>> make_optimizer(std::string_view, Parameters<double>,
                                                           const OptimizerConfig&);

}  // namespace rootdk
