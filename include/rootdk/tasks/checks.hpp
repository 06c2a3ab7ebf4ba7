#pragma once
// What every task checks before it is made, and before it writes a batch.
#include <string_view>

#include "rootdk/tasks/task.hpp"

namespace rootdk {

// Every field of `parameters` lies between its smallest sensible value (n_tokens and n_classes 2,
// n_keys 0, the rest 1) and 2^31 - 1, so that indices fit labels. Throws TaskError.
void check_ranges(const TaskParameters& parameters);

// Throws TaskError "<key> = <value> must be at least <other> = <least>: <reason>" when value <
// least.
void check_at_least(std::string_view key, Index value, std::string_view other, Index least,
                    std::string_view reason);

// Both the tables and one batch of double tokens must be addressable: n_keys * d_model and
// batch_size * (n_tokens + n_queries) * d_model numbers of 8 bytes. Throws TaskError.
void check_memory(const TaskInfo& info, const TaskParameters& parameters);

// The views of `batch` have the shapes task.hpp gives, for whatever batch size B `tokens` has, and
// contiguous rows. Throws std::invalid_argument that names the view, its shape and the right one.
template <class T>
void check_batch(std::string_view task, const TaskInfo& info, Index n_tokens,
                 const Batch<T>& batch);

}  // namespace rootdk
