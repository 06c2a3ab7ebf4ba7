#pragma once
#include "rootdk/tasks/task.hpp"

namespace rootdk {

// Why queries and keys need projections of their own. Symbols come in cycles of three, a -> b -> c
// -> a, and a query asks for the value of the symbol that comes next. A context is n_tokens / 3
// whole cycles, shuffled; tokens are x_j = [E_K[a_j] | E_V[v_j]], a query is [E_K[a] | 0]:
//
//   one sequence, n = 6, n_queries = 1      cycles  A -> B -> C -> A,  D -> E -> F -> D
//   token        0    1    2    3    4    5         E_K: slot_dim wide, fixed, N(0, 1) entries
//   symbol       E    A    D    C    F    B         E_V: sqrt(n_classes) times unit vectors
//   value        6    0    3    1    7    4         distinct within a sequence, out of n_classes
//
//   query        C                                  uniform among the symbols of the context
//   right_key    1                                  the token of its successor, A
//   label        0                                  the value there
//
// No score that is symmetric, S(a, b) = S(b, a), can do this, be it X X^T or X W W^T X^T: all three
// queries of a cycle right would need S_ab > S_ac, S_bc > S_ba, S_ca > S_cb, that is
// S_ab > S_ca > S_bc > S_ab. So at least one of three is wrong, and accuracy is at most 2/3 (for
// attention whose largest weight decides, and values that are read as they are).
//
// `relation` may ask the same sequences another question: for the value of the predecessor, or of
// the symbol itself. Models that were trained on one are evaluated on the others.
//
// d_model = slot_dim + n_classes, d_v = n_classes: an output row is its logits. n_keys, the number
// of symbols, is 2 n_tokens unless given; it and n_tokens are multiples of 3. Values come once, so
// the best guess without the query is one of those present: chance is 1 / n_tokens.
//
// Random streams: the table depends on (seed, its size); sequence b of step s depends on (seed,
// split, n_tokens, n_classes, n_keys, s, b), not on slot_dim, batch_size, n_queries or relation.
struct Successor {
  static constexpr std::string_view name = "successor";
  static constexpr std::string_view summary =
      "cross-attention: queries ask for the value of the next symbol in a cycle of three";
  // Throws TaskError.
  static TaskInfo info(const TaskParameters& parameters);
  template <class T>
  static std::unique_ptr<Task<T>> make(const TaskParameters& parameters);
};

}  // namespace rootdk
