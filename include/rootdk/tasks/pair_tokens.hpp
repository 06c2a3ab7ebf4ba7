#pragma once
#include "rootdk/tasks/task.hpp"

namespace rootdk {

// What tasks share whose tokens are pairs, [key embedding | one-hot value], with keys and values drawn
// without replacement: d_model = slot_dim + n_classes, d_v = n_classes, queries of their own, and chance
// 1 / n_tokens, the best guess without the query being one of the values present. n_keys is the
// parameters', or `own_choice` when they leave it open.
// Throws TaskError for sizes out of range, and for fewer keys or classes than tokens.
TaskInfo pair_task_info(const TaskParameters& parameters, Index own_choice);

}  // namespace rootdk
