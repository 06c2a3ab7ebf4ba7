#include "rootdk/training/recorder.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "rootdk/named.hpp"
#include "support/small_cell.hpp"

using namespace rootdk;

namespace {

// A graph that has run forward and backward on the first batch, and what is recorded of it. `factor`
// multiplies W_Q, and with it all scores.
struct Recorded {
  CellConfig config = small_cell();
  std::unique_ptr<Task<double>> task;
  Projections<double> projections;
  RetrievalGraph<double> graph;
  Recorder<double> recorder;

  Recorded(Index batch_size, double factor)
      : task(make_task<double>("lookup", parameters(batch_size))),
        projections(task->info().d_model, 8, 4, 1),
        graph(projections, task->info(), batch_size, 8, {.rule = score_rule("none")},
              Weights::trained),
        recorder(graph, projections, 1) {
    const View<double> w_q = projections.w_q.value();
    for (Index i = 0; i < w_q.shape.size(); ++i) w_q.data[i] *= factor;
    task->sample(Split::train, 0, graph.batch());
    graph.tape().replay();
    graph.tape().backward(graph.loss());
    recorder.record(0);
  }
  TaskParameters parameters(Index batch_size) {
    config.task_parameters.batch_size = batch_size;
    return config.task_parameters;
  }
};

}  // namespace

TEST_CASE("recorder: per-query gradients are those of the query's own loss", "[training][probes]") {
  // Against a loss over one query alone: mean over N terms, times N.
  Recorded of(1, 1);
  const auto& [config, task, projections, graph, recorder] = of;
  // By hand: dL_i/dA_ij = (softmax(o_i) - e_y) . v_j, then the softmax rule, per query.
  std::vector<double> norms;
  const auto& attention = graph.attention();
  const View<const double> A = attention.weights.value(), O = attention.output.value();
  const View<const double> X(graph.batch().tokens);
  const View<const double> W = projections.w_v.value();
  for (Index i = 0; i < 8; ++i) {
    std::vector<double> p(4);
    double sum = 0;
    for (Index c = 0; c < 4; ++c) sum += p[static_cast<std::size_t>(c)] = std::exp(O(0, i, c));
    std::vector<double> d_a(8);
    double mean = 0;
    for (Index j = 0; j < 8; ++j) {
      for (Index c = 0; c < 4; ++c) {
        double v = 0;
        for (Index m = 0; m < task->info().d_model; ++m) v += X(0, j, m) * W(m, c);
        const bool right = graph.batch().labels.data[i] == c;
        d_a[static_cast<std::size_t>(j)] += (p[static_cast<std::size_t>(c)] / sum - right) * v;
      }
      mean += A(0, i, j) * d_a[static_cast<std::size_t>(j)];
    }
    double square = 0;
    for (Index j = 0; j < 8; ++j) {
      square += std::pow(A(0, i, j) * (d_a[static_cast<std::size_t>(j)] - mean), 2);
    }
    norms.push_back(std::sqrt(square));
  }
  const probes::Summary wanted = probes::summarise(norms);
  const ProbeRow& row = recorder.probes()[1];
  REQUIRE(row.quantity->name == "score_grad_norm");
  CHECK(row.summary.median == Approx(wanted.median).epsilon(1e-10));
  CHECK(row.summary.mean == Approx(wanted.mean).epsilon(1e-10));
  CHECK(row.summary.q95 == Approx(wanted.q95).epsilon(1e-10));
}

TEST_CASE("recorder: numbers of a step, from the scores and weights themselves",
          "[training][probes]") {
  // From far too small for a square to be a double, to saturated, to far too large.
  const double factor = GENERATE(0.0, 1e-170, 1.0, 60.0, 1e160);
  Recorded of(5, factor);
  const auto& attention = of.graph.attention();
  const View<const double> Z = attention.scaled.value(), A = attention.weights.value();
  const Index queries = 40, n = 8;
  long double sum = 0, squares = 0;
  double largest = 0, hit = 0;
  Index stuck = 0;
  for (Index i = 0; i < queries; ++i) {
    const double* z = Z.data + i * n;
    const double* p = A.data + i * n;
    for (Index j = 0; j < n; ++j) {
      sum += z[j];
      largest = std::max(largest, std::fabs(z[j]));
    }
    const Index right = of.graph.batch().right_key.data[i];
    hit += p[right] / static_cast<double>(queries);
    stuck += *std::max_element(p, p + n) > 0.99 && std::max_element(z, z + n) - z != right ? 1 : 0;
  }
  const long double mean = sum / (queries * n);
  for (Index e = 0; e < queries * n; ++e) squares += (Z.data[e] - mean) * (Z.data[e] - mean);
  const StepRow& row = of.recorder.steps()[0];
  CAPTURE(factor);
  CHECK(row.logit_std == Approx(static_cast<double>(std::sqrt(squares / (queries * n)))));
  CHECK(row.logit_max == largest);
  CHECK(row.hit == Approx(hit));
  CHECK(row.saturated_wrong == Approx(static_cast<double>(stuck) / static_cast<double>(queries)));
  if (factor == 60) CHECK(stuck > 0);
}

TEST_CASE("recorder: columns of a step are what their names say", "[training][probes]") {
  CellConfig config = small_cell();
  TrainingCell<double> cell(config);
  cell.step();
  const StepRow& row = cell.steps().front();
  CHECK(row.loss == Approx(std::log(4.0)).epsilon(0.5));
  CHECK(row.hit == Approx(1.0 / 8).margin(0.05));
  CHECK(row.logit_max > row.logit_std);
  CHECK(row.saturated_wrong == 0);
  CHECK(row.norm_w_q ==
        Approx(std::sqrt(8.0)).epsilon(0.2));  // d_model d_k entries of N(0, 1/d_model)
}

TEST_CASE("recorder: shares of dead and live queries are said of magnitudes only", "[training]") {
  const std::span<const QueryQuantity> quantities(query_quantities);
  const std::span<const probes::StatisticName> statistics(probes::statistic_names);
  const QueryQuantity& norm = *find_row(quantities, "score_grad_norm");
  const QueryQuantity& p_max = *find_row(quantities, "p_max");
  const probes::StatisticName& dead = *find_row(statistics, "dead_1e-3");
  CHECK(applies(norm, dead));
  CHECK_FALSE(applies(p_max, dead));
  CHECK(applies(p_max, *find_row(statistics, "median")));
}
