#pragma once
#include <optional>
#include <span>
#include <vector>

#include "rootdk/training/projected_norms.hpp"
#include "rootdk/training/retrieval_graph.hpp"

namespace rootdk {

// The attention of a graph that has just run forward and backward, one query after the other, however
// it was computed. What the graph keeps is read where it stands; what its fast path never formed is
// computed again, for some queries of a sequence at a time:
//   streaming   z = s l_i R^T of the block, p = softmax(z), dp = dO V^T, dz by the rule of softmax_rows
//   merged      dq_i = s sum_j dz_ij k_j = (s sum_j dz_ij x_j) W_K = dy_i W_K, of which only the norm
// Gradients are those of the mean loss. All memory is taken at construction.
template <class T>
class AttentionRows {
 public:
  // How many of a sequence's queries are computed again at a time.
  static constexpr Index rows_of_block = 64;

  // The graph trains, and outlives this.
  explicit AttentionRows(const RetrievalGraph<T>& graph);

  struct Row {
    std::span<const T> scaled;     // z (n)
    std::span<const T> weights;    // p (n)
    std::span<const T> d_scaled;   // dL/dz (n)
    std::span<const T> d_weights;  // dL/dp (n)
    double d_query_norm = 0;       // |dL/dq|; 0 without projections
  };
  // Query r, counted over all sequences. Valid until the next call; cheapest in ascending order.
  Row operator[](Index r);
  Index size() const { return queries_; }
  std::size_t bytes() const;
  // To be called when the graph has run again.
  void refresh() {
    block_ = -1;
    have_query_norms_ = false;
  }

 private:
  void compute_block(Index block);
  void compute_weights(Index first, Index rows);
  void compute_query_norms();

  const RetrievalGraph<T>& graph_;
  const bool streaming_;
  const Index queries_, n_queries_, n_keys_;
  const Index block_rows_, blocks_per_sequence_;
  Index block_ = -1;                                        // what the buffers hold
  std::vector<T> scaled_, weights_, d_scaled_, d_weights_;  // of a block
  std::optional<ProjectedNorms<T>> merged_norms_;
  std::vector<double> d_query_norms_;  // of all queries, in merged order
  bool have_query_norms_ = false;
};

extern template class AttentionRows<float>;
extern template class AttentionRows<double>;

}  // namespace rootdk
