#include "rootdk/tasks/pair_tokens.hpp"

#include "rootdk/tasks/checks.hpp"

namespace rootdk {

TaskInfo pair_task_info(const TaskParameters& parameters, Index own_choice) {
  check_ranges(parameters);
  TaskInfo info;
  info.n_keys = parameters.n_keys == 0 ? own_choice : parameters.n_keys;
  check_at_least("n_keys", info.n_keys, "n_tokens", parameters.n_tokens,
                 "keys are drawn without replacement");
  check_at_least("n_classes", parameters.n_classes, "n_tokens", parameters.n_tokens,
                 "values are drawn without replacement");
  info.d_model = parameters.slot_dim + parameters.n_classes;
  info.d_v = parameters.n_classes;
  info.n_queries = parameters.n_queries;
  info.self_attention = false;
  info.chance = 1 / static_cast<double>(parameters.n_tokens);
  check_memory(info, parameters);
  return info;
}

}  // namespace rootdk
