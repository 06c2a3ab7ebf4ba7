#include "rootdk/training/recorder.hpp"

#include <algorithm>
#include <cmath>

#include "rootdk/probes/concentration.hpp"
#include "rootdk/probes/softmax_jacobian.hpp"

namespace rootdk {
namespace {

template <class T>
std::span<const T> row_of(const View<const T>& view, Index r) {
  return {view.row(r), static_cast<std::size_t>(view.shape.cols())};
}

template <class T>
double norm_of(const View<const T>& contiguous) {
  return probes::norm(
      std::span<const T>(contiguous.data, static_cast<std::size_t>(contiguous.shape.size())));
}

// Mean and standard deviation in two passes, which do not cancel.
template <class T>
double standard_deviation(std::span<const T> values) {
  double mean = 0, square = 0;
  for (const T x : values) mean += static_cast<double>(x);
  mean /= static_cast<double>(values.size());
  for (const T x : values) {
    square += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean);
  }
  return std::sqrt(square / static_cast<double>(values.size()));
}

}  // namespace

bool applies(const QueryQuantity& quantity, std::string_view statistic) {
  return quantity.is_magnitude ||
         !(statistic.starts_with("dead") || statistic == "exact_zero" || statistic == "live_share");
}

template <class T>
Recorder<T>::Recorder(RetrievalGraph<T>& graph, Projections<T>& projections, Index logged_steps)
    : graph_(graph), projections_(projections) {
  const auto queries = static_cast<std::size_t>(graph.rows().scaled.shape.rows());
  queries_.resize(queries);
  column_.resize(queries);
  steps_.reserve(static_cast<std::size_t>(logged_steps));
  probes_.reserve(static_cast<std::size_t>(logged_steps) * query_quantities.size());
}

template <class T>
void Recorder<T>::measure_queries() {
  const AttentionRows<T> rows = graph_.rows();
  const auto terms = static_cast<double>(queries_.size());
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    const auto r = static_cast<Index>(i);
    const probes::SoftmaxTail tail = probes::softmax_tail(row_of(rows.scaled, r));
    const probes::Concentration concentration = probes::concentration(tail);
    queries_[i] = {.softmax_jacobian_norm = probes::softmax_jacobian_norm(tail),
                   .score_grad_norm = terms * probes::norm(row_of(rows.d_scaled, r)),
                   .weight_grad_norm = terms * probes::norm(row_of(rows.d_weights, r)),
                   .query_grad_norm = terms * probes::norm(row_of(rows.d_queries, r)),
                   .p_max = concentration.p_max,
                   .entropy = concentration.entropy,
                   .effective_keys = concentration.effective_keys,
                   .top_two_gap = concentration.top_two_gap};
  }
}

template <class T>
StepRow Recorder<T>::measure_step(Index step) {
  const View<const T> scaled = graph_.rows().scaled;
  const View<const T> weights = graph_.attention().weights.value();
  const Index queries = scaled.shape.rows(), keys = scaled.shape.cols();
  double hit = 0, saturated_wrong = 0, largest = 0;
  for (Index r = 0; r < queries; ++r) {
    const T *z = scaled.row(r), *a = weights.row(r);
    const Index right = graph_.batch().right_key.data[r];
    hit += static_cast<double>(a[right]);
    const bool wrong = std::max_element(z, z + keys) - z != right;
    saturated_wrong += wrong && queries_[static_cast<std::size_t>(r)].p_max > 0.99 ? 1 : 0;
    for (Index j = 0; j < keys; ++j)
      largest = std::max(largest, std::abs(static_cast<double>(z[j])));
  }
  const auto count = static_cast<double>(queries);
  const std::span<const T> all(scaled.data, static_cast<std::size_t>(scaled.shape.size()));
  const auto& [w_q, w_k, w_v] = projections_;
  return {.step = step,
          .loss = static_cast<double>(*graph_.loss().value().data),
          .accuracy = static_cast<double>(graph_.correct()) / count,
          .hit = hit / count,
          .grad_w_q = norm_of(w_q.grad()),
          .grad_w_k = norm_of(w_k.grad()),
          .grad_w_v = norm_of(w_v.grad()),
          .norm_w_q = norm_of(w_q.value()),
          .norm_w_k = norm_of(w_k.value()),
          .norm_w_v = norm_of(w_v.value()),
          .logit_std = standard_deviation(all),
          .logit_max = largest,
          .saturated_wrong = saturated_wrong / count};
}

template <class T>
void Recorder<T>::record(Index step, std::optional<double> signal_share) {
  measure_queries();
  steps_.push_back(measure_step(step));
  steps_.back().signal_share = signal_share;
  for (const QueryQuantity& quantity : query_quantities) {
    std::transform(queries_.begin(), queries_.end(), column_.begin(),
                   [&](const QueryProbe& probe) { return probe.*quantity.value; });
    probes_.push_back({step, &quantity, probes::summarise(column_)});
  }
}

template class Recorder<float>;
template class Recorder<double>;

}  // namespace rootdk
