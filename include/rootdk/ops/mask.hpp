#pragma once
#include <algorithm>
#include <cstdint>
#include <span>

#include "rootdk/autodiff/op.hpp"

namespace rootdk {

// The keys that one query may look at: the first `count`, less those that `allowed` denies.
struct VisibleKeys {
  Index count = 0;
  const bool* allowed = nullptr;  // `count` answers; null when all are allowed
  bool sees(Index key) const { return key < count && (allowed == nullptr || allowed[key]); }
  bool any() const {
    if (allowed == nullptr) return count > 0;
    return std::find(allowed, allowed + count, true) != allowed + count;
  }
};

// Which keys may query i look at? A small value made of up to three conditions that must all hold:
//   causal    key j <= query i, counted from the first of each, also when n_q != n_k
//   lengths   (B): in sequence b only the first lengths[b] keys exist
//   allowed   (n_q, n_k) or (B, n_q, n_k): true where the query may look
// The buffers belong to the caller (Tape::data), so a replay reads their current content. Hidden
// entries are skipped, never offset by a large number: what they hold, NaN included, has no effect.
struct Mask {
  bool causal = false;
  View<const std::int32_t> lengths{};
  View<const bool> allowed{};

  bool hides() const { return causal || lengths || allowed; }

  // `batch` is the position along the first axis of scores (B, ..., n_q, n_k).
  VisibleKeys row(Index batch, Index query, Index n_keys) const {
    VisibleKeys keys{n_keys, nullptr};
    if (causal) keys.count = std::min(keys.count, query + 1);
    if (lengths) keys.count = std::min<Index>(keys.count, std::max(lengths.data[batch], 0));
    if (allowed) {
      keys.allowed = allowed.data + query * allowed.step(-2);
      if (allowed.rank() == 3) keys.allowed += batch * allowed.step(0);
    }
    return keys;
  }

  // Throws shape_error in the name of `op` unless the buffers fit scores of this shape.
  void expect_fits(std::string_view op, const Shape& scores) const;
};

// The sequence, along the first axis of scores (B, ..., n_q, n_k), that matrix m of their stack is of.
inline Index sequence_of(const Shape& scores, Index m) {
  return scores.rank() < 3 ? 0 : m / (scores.matrices() / scores[0]);
}

// Calls visit(matrix, query, keys) for each row of scores (..., n_q, n_k), counting its matrices over
// all axes but the last two.
template <class Visit>
void for_each_query(const Mask& mask, const Shape& scores, Visit&& visit) {
  const Index matrices = scores.matrices();
  const Index n_queries = scores.rank() < 2 ? 1 : scores[-2];
  for (Index m = 0; m < matrices; ++m) {
    const Index sequence = sequence_of(scores, m);
    for (Index i = 0; i < n_queries; ++i) visit(m, i, mask.row(sequence, i, scores.cols()));
  }
}

}  // namespace rootdk
