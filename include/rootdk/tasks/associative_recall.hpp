#pragma once
#include "rootdk/tasks/task.hpp"

namespace rootdk {

// A list of (key, value) pairs, then n_queries questions "which value has this key?". Tokens are
// the pairs, x_j = [E_K[a_j] | E_V[v_j]]; the queries are vectors of their own and share the
// tokens:
//
//   one sequence, n = 4, n_queries = 2      key vectors E_K: slot_dim wide, fixed, N(0, 1) entries
//   token        0    1    2    3           value vectors E_V: sqrt(n_classes) times unit vectors
//   key          C    F    A    B           distinct within a sequence, out of n_keys
//   value        6    0    3    1           distinct within a sequence, out of n_classes
//
//   query        A    C                     the key of token right_key in the key block, 0 elsewhere
//   right_key    2    0                     uniform, independent: two queries may ask the same
//   label        3    6                     the value of token right_key
//
// d_model = m = slot_dim + n_classes. The sqrt(n_classes) gives the one-hot block the unit variance
// of the key block, so |x_j|^2 is m on average; a query, whose value block is empty, is multiplied
// by sqrt(m / slot_dim) to be as long (sqrt 2 where slot_dim = n_classes). d_v = n_classes: an
// output row is its logits. n_keys is 64 unless given. As no value comes twice, the best guess
// without the query is one of the n values present: chance is 1 / n_tokens.
//
// Random streams: the key table depends on (seed, its size); sequence b of step s depends on (seed,
// split, n_tokens, n_classes, n_keys, s, b), not on slot_dim, batch_size or n_queries: more queries
// begin with those of fewer.
struct AssociativeRecall {
  static constexpr std::string_view name = "associative_recall";
  static constexpr std::string_view summary =
      "cross-attention: queries ask a list of (key, value) pairs for the value of a key";
  // Throws TaskError.
  static TaskInfo info(const TaskParameters& parameters);
  template <class T>
  static std::unique_ptr<Task<T>> make(const TaskParameters& parameters);
};

}  // namespace rootdk
