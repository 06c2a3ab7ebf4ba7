#pragma once
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "rootdk/probes/gradient_statistics.hpp"
#include "rootdk/training/attention_rows.hpp"

namespace rootdk {

// What a logged step looks like as a whole. Measured before the step's update.
struct StepRow {
  Index step = 0;
  double loss = 0;                                  // mean cross-entropy of the batch, in nats
  double accuracy = 0;                              // of the batch
  double hit = 0;                                   // mean attention weight on the right key
  double grad_w_q = 0, grad_w_k = 0, grad_w_v = 0;  // Frobenius norms of the mean loss's gradients
  double norm_w_q = 0, norm_w_k = 0, norm_w_v = 0;  // Frobenius norms of the weights
  double logit_std = 0;        // standard deviation of all scaled scores of the batch
  double logit_max = 0;        // largest of their magnitudes
  double saturated_wrong = 0;  // share of queries with p_max > 0.99 on a wrong key: the stuck ones
  // |E dL/dW_Q|^2 / E|dL/dW_Q|^2 over batches (probes::SignalShare), if it was measured.
  std::optional<double> signal_share{};
};

// The columns that follow `step` in a log, in order; signal_share, which may be empty, comes last.
struct StepColumn {
  std::string_view name;
  double StepRow::*value;
};
inline constexpr std::array<StepColumn, 12> step_columns{{
    {"loss", &StepRow::loss},
    {"accuracy", &StepRow::accuracy},
    {"hit", &StepRow::hit},
    {"grad_w_q", &StepRow::grad_w_q},
    {"grad_w_k", &StepRow::grad_w_k},
    {"grad_w_v", &StepRow::grad_w_v},
    {"norm_w_q", &StepRow::norm_w_q},
    {"norm_w_k", &StepRow::norm_w_k},
    {"norm_w_v", &StepRow::norm_w_v},
    {"logit_std", &StepRow::logit_std},
    {"logit_max", &StepRow::logit_max},
    {"saturated_wrong", &StepRow::saturated_wrong},
}};

// What is measured on every single query of a logged step. Gradients are those of the query's OWN loss
// term: the mean loss's, times the number of terms. Of the mean loss's own gradients most would count
// as dead for no better reason than the size of the batch.
struct QueryProbe {
  double softmax_jacobian_norm = 0;  // |J|_F of its row
  double score_grad_norm = 0;        // |dL/dz|, of the scaled scores
  double weight_grad_norm = 0;       // |dL/dA|
  double query_grad_norm = 0;        // |dL/dq|
  double p_max = 0;
  double entropy = 0;  // nats
  double effective_keys = 0;
  double top_two_gap = 0;
};

// A quantity of the table is summarised over the queries. Shares of dead and of live queries are said
// of magnitudes only.
struct QueryQuantity {
  std::string_view name;
  double QueryProbe::*value;
  bool is_magnitude;
};
inline constexpr std::array<QueryQuantity, 8> query_quantities{{
    {"softmax_jacobian_norm", &QueryProbe::softmax_jacobian_norm, true},
    {"score_grad_norm", &QueryProbe::score_grad_norm, true},
    {"weight_grad_norm", &QueryProbe::weight_grad_norm, true},
    {"query_grad_norm", &QueryProbe::query_grad_norm, true},
    {"p_max", &QueryProbe::p_max, false},
    {"entropy", &QueryProbe::entropy, false},
    {"effective_keys", &QueryProbe::effective_keys, false},
    {"top_two_gap", &QueryProbe::top_two_gap, false},
}};
// Whether a statistic says something about a quantity.
constexpr bool applies(const QueryQuantity& quantity, const probes::StatisticName& statistic) {
  return quantity.is_magnitude || !statistic.of_magnitudes_only;
}

struct ProbeRow {
  Index step = 0;
  const QueryQuantity* quantity = nullptr;
  probes::Summary summary;
};

// Turns a graph that has just run forward and backward into rows. All memory is taken at construction,
// for `logged_steps` steps.
template <class T>
class Recorder {
 public:
  Recorder(RetrievalGraph<T>& graph, Projections<T>& projections, Index logged_steps);
  void record(Index step, std::optional<double> signal_share = {});

  // Of what it measures in a step; rows not included.
  std::size_t bytes() const {
    return queries_.size() * sizeof(QueryProbe) + column_.size() * sizeof(double) + rows_.bytes();
  }

  const std::vector<StepRow>& steps() const { return steps_; }
  const std::vector<ProbeRow>& probes() const { return probes_; }

 private:
  void measure_queries(StepRow& step);
  void measure_matrices(StepRow& step) const;

  RetrievalGraph<T>& graph_;
  AttentionRows<T> rows_;
  Projections<T>& projections_;
  std::vector<QueryProbe> queries_;
  std::vector<double> column_;
  std::vector<StepRow> steps_;
  std::vector<ProbeRow> probes_;
};

extern template class Recorder<float>;
extern template class Recorder<double>;

}  // namespace rootdk
