#pragma once
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "rootdk/autodiff/parameter.hpp"

namespace rootdk {

struct OptimizerConfig {
  double lr = 1;            // learning rate, > 0
  double momentum = 0;      // sgd, in [0, 1)
  double weight_decay = 0;  // every optimizer, >= 0
  double beta1 = 0.9;       // adam and adamw, in [0, 1)
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

// Moves parameters along their gradients. State is allocated at construction: a step allocates nothing.
template <class T>
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  // One update from the gradients as they stand.
  virtual void step() = 0;
};

template <class T>
using Parameters = std::span<Parameter<T>* const>;

// One row of the table; `name` is the word of config and CSV.
struct OptimizerRow {
  std::string_view name;
  bool has_momentum;                       // reads OptimizerConfig::momentum
  int (*buffers)(const OptimizerConfig&);  // numbers that it keeps for each one of the parameters
  std::unique_ptr<Optimizer<float>> (*make_float)(Parameters<float>, const OptimizerConfig&);
  std::unique_ptr<Optimizer<double>> (*make_double)(Parameters<double>, const OptimizerConfig&);
};
std::span<const OptimizerRow> optimizer_table();

// Both throw std::invalid_argument that lists the known names. The parameters must outlive the optimizer.
const OptimizerRow& find_optimizer(std::string_view name);
template <class T>
std::unique_ptr<Optimizer<T>> make_optimizer(std::string_view name, Parameters<T> parameters,
                                             const OptimizerConfig& config);

}  // namespace rootdk
