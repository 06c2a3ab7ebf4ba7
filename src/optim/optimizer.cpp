#include "rootdk/optim/optimizer.hpp"

#include <array>

#include "rootdk/named.hpp"
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

int sgd_buffers(const OptimizerConfig& config) { return config.momentum > 0 ? 1 : 0; }
int adam_buffers(const OptimizerConfig&) { return 2; }

constexpr std::array<OptimizerRow, 3> rows{{
    {"sgd", true, sgd_buffers, sgd<float>, sgd<double>},
    {"adam", false, adam_buffers, adam<float, WeightDecay::coupled>,
     adam<double, WeightDecay::coupled>},
    {"adamw", false, adam_buffers, adam<float, WeightDecay::decoupled>,
     adam<double, WeightDecay::decoupled>},
}};

}  // namespace

std::span<const OptimizerRow> optimizer_table() { return rows; }

const OptimizerRow& find_optimizer(std::string_view name) {
  return row_named(optimizer_table(), "optimizer", name);
}

template <class T>
std::unique_ptr<Optimizer<T>> make_optimizer(std::string_view name, Parameters<T> parameters,
                                             const OptimizerConfig& config) {
  const OptimizerRow& row = find_optimizer(name);
  if constexpr (std::is_same_v<T, float>) {
    return row.make_float(parameters, config);
  } else {
    return row.make_double(parameters, config);
  }
}

template std::unique_ptr<Optimizer<float>> make_optimizer(std::string_view, Parameters<float>,
                                                          const OptimizerConfig&);
template std::unique_ptr<Optimizer<double>> make_optimizer(std::string_view, Parameters<double>,
                                                           const OptimizerConfig&);

}  // namespace rootdk
