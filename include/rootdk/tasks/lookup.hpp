#pragma once
#include "rootdk/tasks/task.hpp"

namespace rootdk {

// Every token asks for another one by its key and is to return that one's class. Token i is three
// slots side by side, each slot_dim wide, x_i = [ask_i | key_i | value_i]:
//
//   one sequence, n = 4                   the keys A B C D and the classes 2 5 7 stand for
//   token      0    1    2    3           fixed vectors with N(0, 1) entries
//   ask        C    A    A    D           the key of token right_key
//   key        A    B    C    D           distinct within a sequence
//   value      5    2    7    5           classes, drawn with replacement
//   right_key  2    0    0    3           uniform, independent for each token; may be itself
//   label      7    5    5    5           the class of token right_key
//
// To solve it W_Q must read the ask slot, W_K the key slot and W_V the value slot: the three roles,
// literally. Keys come from a vocabulary of n_keys, 4 n_tokens unless given. d_model = 3 slot_dim,
// d_v = n_classes: an output row is its logits. Blind chance is 1 / n_classes.
//
// Random streams: the tables depend on (seed, their size); sequence b of step s depends on (seed,
// split, n_tokens, n_classes, n_keys, s, b) and on nothing else: not on slot_dim, which only widens
// the vectors, and not on batch_size: a larger batch begins with the sequences of a smaller one.
struct Lookup {
  static constexpr std::string_view name = "lookup";
  static constexpr std::string_view summary =
      "self-attention: every token asks for another by its key and returns its class";
  // Throws TaskError.
  static TaskInfo info(const TaskParameters& parameters);
  template <class T>
  static std::unique_ptr<Task<T>> make(const TaskParameters& parameters);
};

}  // namespace rootdk
