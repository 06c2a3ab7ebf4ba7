#include "rootdk/training/recorder.hpp"

#include <algorithm>
#include <cmath>

#include "rootdk/probes/concentration.hpp"
#include "rootdk/probes/row_sums.hpp"
#include "rootdk/probes/softmax_jacobian.hpp"

namespace rootdk {
namespace {

template <class T>
double norm_of(const View<const T>& contiguous) {
  return probes::norm(contiguous.entries());
}

// The standard deviation of numbers that come in groups. The first of them, which lies among the others,
// is taken off all, so that what is common to them does not cancel; and all are multiplied by a power of
// two that brings the first group near 1, so that no square leaves the range of double.
class Spread {
 public:
  template <class T>
  void add(std::span<const T> group) {
    if (count_ == 0) start(static_cast<double>(group[0]), probes::largest_magnitude(group));
    const auto lead = [this](T x) { return (static_cast<double>(x) - first_) * scale_; };
    sum_ += probes::sum_of(group, lead);
    squares_ += probes::sum_of(group, [&](T x) { return lead(x) * lead(x); });
    count_ += static_cast<double>(group.size());
  }
  double standard_deviation() const {
    const double square = squares_ / count_ - sum_ / count_ * (sum_ / count_);
    return std::sqrt(square < 0 ? 0 : square) / scale_;  // NaN passes
  }

 private:
  void start(double first, double largest) {
    first_ = first;
    if (largest > 0 && std::isfinite(largest)) {
      scale_ = std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000));
    }
  }

  double count_ = 0, first_ = 0, scale_ = 1, sum_ = 0, squares_ = 0;
};

}  // namespace

template <class T>
Recorder<T>::Recorder(RetrievalGraph<T>& graph, Projections<T>& projections, Index logged_steps)
    : graph_(graph), rows_(graph), projections_(projections) {
  const auto queries = static_cast<std::size_t>(rows_.size());
  queries_.resize(queries);
  column_.resize(queries);
  steps_.reserve(static_cast<std::size_t>(logged_steps));
  probes_.reserve(static_cast<std::size_t>(logged_steps) * query_quantities.size());
}

template <class T>
void Recorder<T>::measure_queries(StepRow& step) {
  rows_.refresh();
  const auto count = static_cast<double>(queries_.size());
  Spread logits;
  for (std::size_t i = 0; i < queries_.size(); ++i) {
    const typename AttentionRows<T>::Row row = rows_[static_cast<Index>(i)];
    const probes::SoftmaxTail tail = probes::softmax_tail(row.scaled);
    const probes::Concentration concentration = probes::concentration(tail);
    queries_[i] = {.softmax_jacobian_norm = probes::softmax_jacobian_norm(tail),
                   .score_grad_norm = count * probes::norm(row.d_scaled),
                   .weight_grad_norm = count * probes::norm(row.d_weights),
                   .query_grad_norm = count * row.d_query_norm,
                   .p_max = concentration.p_max,
                   .entropy = concentration.entropy,
                   .effective_keys = concentration.effective_keys,
                   .top_two_gap = concentration.top_two_gap};
    const auto right = static_cast<std::size_t>(graph_.batch().right_key.data[i]);
    const auto hit = static_cast<double>(row.weights[right]);
    step.hit += hit / count;
    // The right key then has nearly all of the weight, or nearly none.
    if (concentration.p_max > 0.99 && hit < 0.5) step.saturated_wrong += 1 / count;
    logits.add(row.scaled);
    step.logit_max = std::max(step.logit_max, probes::largest_magnitude(row.scaled));
  }
  step.logit_std = logits.standard_deviation();
}

template <class T>
void Recorder<T>::measure_matrices(StepRow& step) const {
  const auto& [w_q, w_k, w_v] = projections_;
  step.grad_w_q = norm_of(w_q.grad());
  step.grad_w_k = norm_of(w_k.grad());
  step.grad_w_v = norm_of(w_v.grad());
  step.norm_w_q = norm_of(w_q.value());
  step.norm_w_k = norm_of(w_k.value());
  step.norm_w_v = norm_of(w_v.value());
}

template <class T>
void Recorder<T>::record(Index step, std::optional<double> signal_share) {
  StepRow row{.step = step, .loss = static_cast<double>(*graph_.loss().value().data)};
  row.accuracy = static_cast<double>(graph_.correct()) / static_cast<double>(queries_.size());
  row.signal_share = signal_share;
  measure_queries(row);
  measure_matrices(row);
  steps_.push_back(row);
  for (const QueryQuantity& quantity : query_quantities) {
    std::transform(queries_.begin(), queries_.end(), column_.begin(),
                   [&](const QueryProbe& probe) { return probe.*quantity.value; });
    probes_.push_back({step, &quantity, probes::summarise(column_)});
  }
}

template class Recorder<float>;
template class Recorder<double>;

}  // namespace rootdk
