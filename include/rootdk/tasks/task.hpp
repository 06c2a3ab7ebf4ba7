#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "rootdk/autodiff/view.hpp"

namespace rootdk {

// Which symbol of its cycle a query of task `successor` asks for, given its own.
enum class Relation { successor, predecessor, identity };

// What the config says about a task. Not every task uses every field.
struct TaskParameters {
  Index n_tokens = 64;     // keys per sequence
  Index slot_dim = 32;     // width of one slot of a token (of the key embedding)
  Index n_classes = 8;     // values that can be retrieved
  Index n_keys = 0;        // size of the key vocabulary; 0 lets the task choose
  Index n_queries = 1;     // queries per sequence, where tokens do not ask themselves
  Index batch_size = 8;    // sequences per batch
  std::uint64_t seed = 1;  // of every table and every stream of the task
  Relation relation = Relation::successor;  // what is asked for, in task successor
};

// The parameters ask for a task that does not exist; `key` is the parameter at fault.
struct TaskError : std::invalid_argument {
  TaskError(std::string key_name, const std::string& message)
      : std::invalid_argument(message), key(std::move(key_name)) {}
  std::string key;
};

enum class LossKind { cross_entropy };

// What a task is, as data.
struct TaskInfo {
  Index d_model = 0;            // width of a token
  Index d_v = 0;                // width of an output row; for cross_entropy its logits, one a class
  Index n_queries = 0;          // output rows per sequence
  Index n_keys = 0;             // size of the key vocabulary really used
  bool self_attention = false;  // the tokens themselves ask (n_queries == n_tokens)
  double chance = 0;            // accuracy of the best guess that ignores the query
  LossKind loss = LossKind::cross_entropy;
};

// Where a sample comes from: training, evaluation, and measurements along the way (`probe`) never
// share a draw.
enum class Split { train, evaluation, probe };

// Where a task writes one batch. n = n_tokens, m = d_model, n_q = n_queries. B is what the views
// say: a sequence does not depend on how many others are drawn with it, so an evaluation may be
// larger than a training batch. Rows are contiguous.
template <class T>
struct Batch {
  View<T> tokens;                // (B, n, m)
  View<T> queries;               // (B, n_q, m); nowhere when the tokens ask
  View<std::int32_t> labels;     // (B, n_q), the class to retrieve
  View<std::int32_t> right_key;  // (B, n_q), the token that holds it, in [0, n)
};

// One retrieval task with its embedding tables. Sampling is a pure function of (parameters, split,
// step), allocates nothing, and may be called in any order. It writes to scratch memory of the
// task: threads need a task each, and get the same numbers.
template <class T>
class Task {
 public:
  virtual ~Task() = default;
  virtual const TaskInfo& info() const = 0;
  // Throws std::invalid_argument when a view of the batch has the wrong shape.
  virtual void sample(Split split, std::uint64_t step, const Batch<T>& batch) = 0;
};

// One row of the table of tasks; `name` is the file name, the config word and the CSV word.
struct TaskRow {
  std::string_view name;
  std::string_view summary;
  TaskInfo (*info)(const TaskParameters&);                              // throws TaskError
  std::unique_ptr<Task<float>> (*make_float)(const TaskParameters&);    // throws TaskError
  std::unique_ptr<Task<double>> (*make_double)(const TaskParameters&);  // throws TaskError
};

std::span<const TaskRow> task_table();
// Throws TaskError, its key "task", that lists the known names.
const TaskRow& find_task(std::string_view name);
// The task of that name, with its tables drawn. Throws TaskError.
template <class T>
std::unique_ptr<Task<T>> make_task(std::string_view name, const TaskParameters& parameters);

}  // namespace rootdk
