// What can be learned with W_Q and W_K, with one matrix for both, and with none.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "catch.hpp"
#include "common/model_weights.hpp"
#include "rootdk/autodiff/gradcheck.hpp"
#include "support/small_cell.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

namespace {

CellConfig successor(ProjectionKind kind, Index steps = 600) {
  CellConfig config;
  config.task = "successor";
  config.task_parameters = {
      .n_tokens = 12, .slot_dim = 32, .n_classes = 32, .n_keys = 24, .batch_size = 64};
  config.projections = kind;
  config.d_k = 32;
  config.optimizer = "adam";
  config.optimizer_config.lr = 0.003;
  config.steps = config.log_every = config.evaluate_every = steps;
  config.evaluation_sequences = 1024;
  return config;
}

template <class T>
double accuracy(const CellConfig& config, Projections<T>& weights, Relation relation) {
  return ask(config, weights, relation, config.evaluation_sequences).accuracy();
}

// M = W_Q W_K^T.
std::vector<double> product(const Projections<double>& p) {
  const View<const double> a = p.w_q.value(), b = p.w_k.value();
  std::vector<double> m;
  for (Index i = 0; i < a.shape[0]; ++i) {
    for (Index j = 0; j < b.shape[0]; ++j) {
      double sum = 0;
      for (Index c = 0; c < a.shape[1]; ++c) sum += a(i, c) * b(j, c);
      m.push_back(sum);
    }
  }
  return m;
}

const Intervention<double>& intervention(std::string_view name) {
  for (const auto& row : interventions<double>()) {
    if (row.name == name) return row;
  }
  throw std::out_of_range("no such intervention");
}

// Contexts in which every symbol asks, so that of each cycle all three queries are there: how many
// of them have their largest weight on the successor.
Index most_right_of_a_cycle(const CellConfig& config, Projections<double>& weights) {
  TaskParameters p = config.task_parameters;
  p.n_queries = p.n_tokens;
  const auto task = make_task<double>(config.task, p);
  RetrievalGraph<double> graph(
      weights, task->info(), p.batch_size, p.n_tokens,
      {.rule = score_rule(config.scale), .gemm = config.gemm, .projections = config.projections},
      Weights::frozen);
  const Batch<double>& batch = graph.batch();
  std::map<double, double> next;  // by first entries of embeddings
  for (std::uint64_t step = 0; next.size() < 24; ++step) {
    task->sample(Split::train, step, batch);
    for (Index b = 0; b < p.batch_size; ++b) {
      for (Index i = 0; i < p.n_tokens; ++i) {
        next[batch.queries(b, i, 0)] = batch.tokens(b, batch.right_key(b, i), 0);
      }
    }
  }
  for (Index b = 0; b < p.batch_size; ++b) {
    for (Index i = 0; i < p.n_tokens; ++i) {
      std::copy_n(&batch.tokens(b, i, 0), p.slot_dim, &batch.queries(b, i, 0));
    }
  }
  graph.tape().replay();
  Index most = 0;
  for (Index b = 0; b < p.batch_size; ++b) {
    std::map<double, Index> right;  // by the least of a cycle
    for (Index i = 0; i < p.n_tokens; ++i) {
      const double* row = &graph.attention().weights.value()(b, i, 0);
      const Index winner = std::max_element(row, row + p.n_tokens) - row;
      const double own = batch.tokens(b, i, 0), then = next.at(own);
      const Index hit = batch.tokens(b, winner, 0) == then ? 1 : 0;
      most = std::max(most, right[std::min({own, then, next.at(then)})] += hit);
    }
  }
  return most;
}

}  // namespace

TEST_CASE("projections: words and kinds", "[training]") {
  for (const auto kind : {ProjectionKind::untied, ProjectionKind::tied, ProjectionKind::none}) {
    CHECK(projection_kind(to_string(kind)) == kind);
  }
  CHECK_THROWS_WITH(projection_kind("shared"), ROOTDK_CONTAINS("untied, tied, none"));
  CHECK_THROWS_AS(TrainingCell<float>(successor(ProjectionKind::none)), std::invalid_argument);
}

TEST_CASE("projections: a tied matrix gets the sum of the gradients of both of its uses",
          "[training][gradcheck]") {
  const TaskParameters p{.n_tokens = 6, .slot_dim = 3, .n_classes = 6, .batch_size = 2};
  const auto task = make_task<double>("successor", p);
  Projections<double> projections(task->info().d_model, 4, task->info().d_v, 1);
  RetrievalGraph<double> graph(
      projections, task->info(), 2, 6,
      {.rule = score_rule("inv_sqrt_dk"), .projections = ProjectionKind::tied}, Weights::trained);
  task->sample(Split::train, 0, graph.batch());
  graph.tape().replay();
  std::vector<Var<double>> weights;
  for (auto* parameter : trained(projections, ProjectionKind::tied)) {
    weights.push_back(graph.tape().parameter(*parameter));
  }
  const auto report = gradcheck("tied", graph.loss(), weights);
  INFO(report.log);
  CHECK(report.ok);
  CHECK(report.entries == 9 * 4 + 9 * 6);
}

TEST_CASE("projections: none are Q = K = X, and V the value block", "[training]") {
  const CellConfig config = successor(ProjectionKind::none);
  const auto task = make_task<double>("successor", config.task_parameters);
  const Index m = task->info().d_model, n = 12;
  Projections<double> unused(m, 1, task->info().d_v, 1);
  RetrievalGraph<double> graph(
      unused, task->info(), 64, n,
      {.rule = score_rule("inv_sqrt_dk"), .projections = ProjectionKind::none}, Weights::frozen);
  task->sample(Split::train, 0, graph.batch());
  graph.tape().replay();
  const Batch<double>& batch = graph.batch();
  std::vector<double> weight;
  double sum = 0;
  for (Index j = 0; j < n; ++j) {
    double score = 0;
    for (Index c = 0; c < m; ++c) score += batch.queries(5, 0, c) * batch.tokens(5, j, c);
    weight.push_back(std::exp(score / std::sqrt(static_cast<double>(m))));
    sum += weight.back();
  }
  for (Index v = 0; v < 32; ++v) {
    double output = 0;
    for (Index j = 0; j < n; ++j) {
      output += weight[static_cast<std::size_t>(j)] / sum * batch.tokens(5, j, 32 + v);
    }
    CHECK(graph.attention().output.value()(5, 0, v) == Approx(output).margin(1e-12));
  }
  CHECK(accuracy(config, unused, Relation::successor) <= 0.05);
  CHECK(accuracy(config, unused, Relation::identity) > 0.95);
}

TEST_CASE("projections: no tied matrix answers all three of a cycle", "[training]") {
  CellConfig config = successor(ProjectionKind::tied, 200);
  config.task_parameters.seed = GENERATE(as<std::uint64_t>{}, 1, 2, 3);
  TrainingCell<double> cell(config);
  CHECK(most_right_of_a_cycle(config, cell.projections()) <= 2);
  run(cell);
  CHECK(most_right_of_a_cycle(config, cell.projections()) <= 2);
  CHECK(cell.result().accuracy < 2.0 / 3);
  CHECK(values(cell.projections().w_k.value()) ==
        values(TrainingCell<double>(config).projections().w_k.value()));  // it plays no part
}

TEST_CASE("projections: untied ones find the successor, exchanged ones the predecessor",
          "[training]") {
  const CellConfig config = successor(ProjectionKind::untied);
  TrainingCell<double> cell(config);
  const double before = accuracy(config, cell.projections(), Relation::successor);
  run(cell);
  Projections<double>& weights = cell.projections();
  CHECK(before < 0.1);
  CHECK(accuracy(config, weights, Relation::successor) >= 0.99);
  CHECK(most_right_of_a_cycle(config, weights) == 3);
  CHECK(accuracy(config, weights, Relation::predecessor) < 0.01);
  intervention("rotate_q_k").apply(weights, 1);
  CHECK(accuracy(config, weights, Relation::successor) >= 0.99);
  intervention("swap_q_k").apply(weights, 1);
  CHECK(accuracy(config, weights, Relation::successor) < 0.01);
  CHECK(accuracy(config, weights, Relation::predecessor) >= 0.98);
  intervention("swap_q_k").apply(weights, 1);
  intervention("swap_k_v").apply(weights, 1);
  CHECK(accuracy(config, weights, Relation::successor) < 0.15);
}

TEST_CASE("interventions: a swap transposes W_Q W_K^T, a rotation leaves it", "[training]") {
  Projections<double> p(7, 5, 5, 1);
  const std::vector<double> m = product(p), q = values(p.w_q.value());
  intervention("rotate_q_k").apply(p, 3);
  const std::vector<double> rotated = product(p);
  for (std::size_t i = 0; i < m.size(); ++i) CHECK(rotated[i] == Approx(m[i]).margin(1e-13));
  CHECK(values(p.w_q.value()) != q);
  intervention("swap_q_k").apply(p, 3);
  const std::vector<double> swapped = product(p);
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t j = 0; j < 7; ++j) {
      CHECK(swapped[7 * i + j] == Approx(m[7 * j + i]).margin(1e-13));
    }
  }
  CHECK(applies(intervention("swap_k_v"), p));
  const Projections<double> narrow(7, 4, 5, 1);
  CHECK_FALSE(applies(intervention("swap_k_v"), narrow));
  CHECK(applies(intervention("swap_q_k"), narrow));
}
