#include "rootdk/training/attention_rows.hpp"

#include <algorithm>
#include <array>

#include "rootdk/probes/gradient_statistics.hpp"

namespace rootdk {
namespace {

template <class T>
std::span<const T> row_at(const T* first, Index r, Index width) {
  return {first + r * width, static_cast<std::size_t>(width)};
}

}  // namespace

template <class T>
AttentionRows<T>::AttentionRows(const RetrievalGraph<T>& graph)
    : graph_(graph),
      streaming_(graph.options().attention == AttentionKind::streaming),
      queries_(graph.left().shape().rows()),
      n_queries_(graph.left().shape()[-2]),
      n_keys_(graph.right().shape()[-2]),
      block_rows_(std::min(rows_of_block, n_queries_)),
      blocks_per_sequence_((n_queries_ + block_rows_ - 1) / block_rows_) {
  if (streaming_) {
    const auto pairs = static_cast<std::size_t>(block_rows_ * n_keys_);
    for (std::vector<T>* buffer : {&scaled_, &weights_, &d_scaled_, &d_weights_}) {
      buffer->resize(pairs);
    }
  }
  if (graph.options().order == ScoreOrder::merged) {
    const Shape W_k = graph.key_projection().shape();
    merged_norms_.emplace(graph.options().gemm, queries_, W_k[0], W_k[1]);
    d_query_norms_.resize(static_cast<std::size_t>(queries_));
  }
}

template <class T>
std::size_t AttentionRows<T>::bytes() const {
  const std::size_t elements =
      scaled_.size() + weights_.size() + d_scaled_.size() + d_weights_.size();
  return elements * sizeof(T) + d_query_norms_.size() * sizeof(double) +
         (merged_norms_ ? merged_norms_->bytes() : 0);
}

template <class T>
void AttentionRows<T>::compute_query_norms() {
  const View<const T> d_y = graph_.left().grad();
  merged_norms_->compute(View<const T>(d_y.data, Shape{queries_, d_y.shape[-1]}),
                         graph_.key_projection().value(), d_query_norms_);
  have_query_norms_ = true;
}

// z, p, dp and dz of the block, by the ops that the materialised path is made of.
template <class T>
void AttentionRows<T>::compute_weights(Index first, Index rows) {
  const Index sequence = first / n_queries_, at = first % n_queries_;
  const Shape shape{rows, n_keys_};
  const View<T> z(scaled_.data(), shape), p(weights_.data(), shape);
  const View<T> d_z(d_scaled_.data(), shape), d_p(d_weights_.data(), shape);
  const auto block_of = [&](const View<const T>& x) {
    return x.matrix(sequence).slice(0, at, rows);
  };
  const GemmBackend backend = graph_.options().gemm;
  gemm<T>(backend, static_cast<T>(graph_.scale()), block_of(graph_.left().value()),
          graph_.right().value().matrix(sequence).transposed(), T(0), z);
  gemm<T>(backend, T(1), block_of(graph_.attention().output.grad()),
          graph_.values().value().matrix(sequence).transposed(), T(0), d_p);
  const SoftmaxRows softmax;
  const std::array<View<const T>, 1> in{z};
  const std::array<View<T>, 1> d_in{d_z};
  softmax.forward(ForwardArgs<T>{in, p, {}});
  softmax.vjp(VjpArgs<T>{in, p, {}, d_p, d_in, {true}});
}

template <class T>
void AttentionRows<T>::compute_block(Index block) {
  const Index first =
      block / blocks_per_sequence_ * n_queries_ + block % blocks_per_sequence_ * block_rows_;
  const Index rows = std::min(block_rows_, n_queries_ - block % blocks_per_sequence_ * block_rows_);
  compute_weights(first, rows);
  block_ = block;
}

template <class T>
typename AttentionRows<T>::Row AttentionRows<T>::operator[](Index r) {
  const Index in_sequence = r % n_queries_;
  const Index block = r / n_queries_ * blocks_per_sequence_ + in_sequence / block_rows_;
  const Index in_block = in_sequence % block_rows_;
  if (streaming_ && block != block_) compute_block(block);
  Row row;
  if (streaming_) {
    row = {row_at<T>(scaled_.data(), in_block, n_keys_),
           row_at<T>(weights_.data(), in_block, n_keys_),
           row_at<T>(d_scaled_.data(), in_block, n_keys_),
           row_at<T>(d_weights_.data(), in_block, n_keys_), 0};
  } else {
    const auto& [S, Z, A, O] = graph_.attention();
    row = {row_at(Z.value().data, r, n_keys_), row_at(A.value().data, r, n_keys_),
           row_at<T>(Z.grad().data, r, n_keys_), row_at<T>(A.grad().data, r, n_keys_), 0};
  }
  if (merged_norms_) {
    if (!have_query_norms_) compute_query_norms();
    row.d_query_norm = d_query_norms_[static_cast<std::size_t>(r)];
  } else if (graph_.left().grad()) {
    row.d_query_norm =
        probes::norm(row_at<T>(graph_.left().grad().data, r, graph_.left().shape()[-1]));
  }
  return row;
}

template class AttentionRows<float>;
template class AttentionRows<double>;

}  // namespace rootdk
