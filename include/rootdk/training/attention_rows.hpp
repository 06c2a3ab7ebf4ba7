#pragma once
#include <span>
#include <vector>

#include "rootdk/training/retrieval_graph.hpp"

namespace rootdk {

// The attention of a graph that has just run forward and backward, one query after the other, however
// it was computed. What the graph keeps is read where it stands; what its fast path never formed is
// computed again, for some queries of a sequence at a time:
//   streaming   z = s l_i R^T of the block, p = softmax(z), dp = dO V^T, dz by the rule of softmax_rows
//   merged      dq_i = s sum_j dz_ij k_j = (s sum_j dz_ij x_j) W_K = dy_i W_K
// Gradients are those of the mean loss. All memory is taken at construction.
template <class T>
class AttentionRows {
 public:
  // The graph trains, and outlives this.
  explicit AttentionRows(const RetrievalGraph<T>& graph);

  struct Row {
    std::span<const T> scaled;     // z (n)
    std::span<const T> weights;    // p (n)
    std::span<const T> d_scaled;   // dL/dz (n)
    std::span<const T> d_weights;  // dL/dp (n)
    std::span<const T> d_query;    // dL/dq (d_k); empty without projections
  };
  // Query r, counted over all sequences. Valid until the next call; cheapest in ascending order.
  Row operator[](Index r);
  Index size() const { return queries_; }
  // To be called when the graph has run again.
  void refresh() { block_ = -1; }

 private:
  void compute_block(Index block);
  void compute_weights(Index first, Index rows);

  const RetrievalGraph<T>& graph_;
  const bool streaming_, merged_;
  const Index queries_, n_queries_, n_keys_;
  const Index block_rows_, blocks_per_sequence_;
  Index block_ = -1;                                                  // what the buffers hold
  std::vector<T> scaled_, weights_, d_scaled_, d_weights_, d_query_;  // of a block
};

extern template class AttentionRows<float>;
extern template class AttentionRows<double>;

}  // namespace rootdk
