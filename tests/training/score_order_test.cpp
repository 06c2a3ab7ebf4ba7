// One model, however it is computed: both orders of the scores, materialised and streaming.
#include "rootdk/attention/score_order.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"
#include "rootdk/autodiff/gradcheck.hpp"
#include "rootdk/training/recorder.hpp"
#include "rootdk/training/training_cell.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

namespace {

const TaskParameters parameters{
    .n_tokens = 9, .slot_dim = 2, .n_classes = 9, .n_queries = 4, .batch_size = 3};

// A graph of its own with the weights that the seed says, run on the first batch.
template <class T>
struct Model {
  std::unique_ptr<Task<T>> task;
  Projections<T> weights;
  RetrievalGraph<T> graph;
  Model(const std::string& name, Index d_k, RetrievalOptions options)
      : task(make_task<T>(name, parameters)),
        weights(task->info().d_model, d_k, task->info().d_v, 7),
        graph(weights, task->info(), parameters.batch_size, parameters.n_tokens, options,
              Weights::trained) {
    task->sample(Split::train, 0, graph.batch());
    graph.tape().replay();
    graph.tape().backward(graph.loss());
  }
};

template <class T>
void check_close(const std::vector<T>& found, const std::vector<T>& wanted) {
  REQUIRE(found.size() == wanted.size());
  double largest = 0, worst = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(wanted[i])));
    worst =
        std::max(worst, std::abs(static_cast<double>(found[i]) - static_cast<double>(wanted[i])));
  }
  CHECK(largest > 0);
  CHECK(worst <= 200 * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest);
}

}  // namespace

TEMPLATE_TEST_CASE("retrieval graph: every way to compute it gives the plain way's gradients",
                   "[training]", float, double) {
  const std::string name = GENERATE("lookup", "associative_recall", "successor");
  const Index d_k = GENERATE(2, 17);  // below and above d_model
  const auto kind = GENERATE(ProjectionKind::untied, ProjectionKind::tied);
  const auto order = GENERATE(ScoreOrder::direct, ScoreOrder::merged);
  const auto attention = GENERATE(AttentionKind::materialised, AttentionKind::streaming);
  const auto backend = GENERATE(GemmBackend::tile, GemmBackend::reference);
  Model<TestType> plain(name, d_k, {.gemm = GemmBackend::reference, .projections = kind});
  Model<TestType> other(
      name, d_k, {.gemm = backend, .projections = kind, .order = order, .attention = attention});
  const auto loss = static_cast<double>(*plain.graph.loss().value().data);
  CHECK(*other.graph.loss().value().data ==
        Approx(loss).epsilon(sizeof(TestType) == 4 ? 2e-6 : 1e-14));
  const auto wanted = trained(plain.weights, kind), found = trained(other.weights, kind);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    INFO(wanted[i]->name);
    check_close(values(found[i]->grad()), values(wanted[i]->grad()));
  }
}

TEST_CASE("retrieval graph: gradients of the whole model pass gradcheck, however it is computed",
          "[training][gradcheck]") {
  const std::string task = GENERATE("lookup", "associative_recall");
  const auto order = GENERATE(ScoreOrder::direct, ScoreOrder::merged);
  const auto attention = GENERATE(AttentionKind::materialised, AttentionKind::streaming);
  Model<double> model(task, 5, {.order = order, .attention = attention});
  std::vector<Var<double>> leaves;
  for (Parameter<double>* weight : model.weights.all()) {
    leaves.push_back(model.graph.tape().parameter(*weight));
  }
  const auto report = gradcheck("model", model.graph.loss(), leaves);
  INFO(report.log);
  CHECK(report.ok);
  Index entries = 0;
  for (const Parameter<double>* weight : model.weights.all()) entries += weight->shape.size();
  CHECK(report.entries == entries);
}

TEMPLATE_TEST_CASE("attention rows: what was not formed is computed again, the same to rounding",
                   "[training][probes]", float, double) {
  using T = TestType;
  const std::string name = GENERATE("lookup", "associative_recall");
  const auto order = GENERATE(ScoreOrder::direct, ScoreOrder::merged);
  const auto attention = GENERATE(AttentionKind::materialised, AttentionKind::streaming);
  Model<T> plain(name, 17, {.gemm = GemmBackend::reference});
  Model<T> other(name, 17, {.order = order, .attention = attention});
  AttentionRows<T> expected(plain.graph), rows(other.graph);
  REQUIRE(rows.size() == expected.size());
  const auto vector = [](std::span<const T> x) { return std::vector<T>(x.begin(), x.end()); };
  for (const Index r : {Index{0}, rows.size() - 1, Index{5}, Index{4}}) {  // also backwards
    const auto wanted = expected[r], found = rows[r];
    check_close(vector(found.scaled), vector(wanted.scaled));
    check_close(vector(found.weights), vector(wanted.weights));
    check_close(vector(found.d_scaled), vector(wanted.d_scaled));
    check_close(vector(found.d_weights), vector(wanted.d_weights));
    CHECK(found.d_query_norm == Approx(wanted.d_query_norm).epsilon(sizeof(T) == 4 ? 1e-5 : 1e-13));
  }
}

TEST_CASE("score order: the counts are those of the products that a step does", "[attention]") {
  // Every product of the direct and of the merged step, by hand, for B = 2, n_q = 3, n = 5, m = 7.
  ScoreSizes sizes{.batch_size = 2, .n_queries = 3, .n_tokens = 5, .d_model = 7, .d_k = 11};
  const double q = 6 * 7 * 11, k = 10 * 7 * 11, s = 2 * 3 * 5 * 11;
  CHECK(score_operations(ScoreOrder::direct, sizes) == 2 * (q + k) + 3 * s);
  const double m = 7 * 7 * 11, y = 6 * 7 * 7, z = 2 * 3 * 5 * 7;
  CHECK(score_operations(ScoreOrder::merged, sizes) == 3 * m + 2 * y + 2 * z);
  sizes.streaming = true;
  CHECK(score_operations(ScoreOrder::direct, sizes) == 2 * (q + k) + 4 * s);
  CHECK(score_operations(ScoreOrder::merged, sizes) == 3 * m + 2 * y + 3 * z);
}

TEST_CASE("score order: wide projections are merged, narrow ones are not", "[attention]") {
  ScoreSizes sizes{.batch_size = 8, .n_queries = 64, .n_tokens = 64, .d_model = 96, .d_k = 16};
  CHECK(cheaper_order(sizes) == ScoreOrder::direct);
  sizes.d_k = 1024;
  CHECK(cheaper_order(sizes) == ScoreOrder::merged);
  CHECK(score_order("merged") == ScoreOrder::merged);
  CHECK_THROWS_WITH(score_order("inner"), ROOTDK_CONTAINS("direct, merged"));
}

TEST_CASE("training: order and kind of attention change rounding and nothing else", "[training]") {
  CellConfig config;
  config.task_parameters = {
      .n_tokens = 8, .slot_dim = 8, .n_classes = 4, .batch_size = 4, .seed = 3};
  config.d_k = 32;
  config.steps = 20;
  config.order = ScoreOrder::direct;
  TrainingCell<double> plain(config);
  while (!plain.done()) plain.step();
  config.order = GENERATE(ScoreOrder::direct, ScoreOrder::merged);
  config.attention = GENERATE(AttentionKind::materialised, AttentionKind::streaming);
  TrainingCell<double> other(config);
  while (!other.done()) other.step();
  CHECK(other.order() == *config.order);
  REQUIRE(other.steps().size() == plain.steps().size());
  for (std::size_t i = 0; i < plain.steps().size(); ++i) {
    for (const StepColumn& column : step_columns) {
      INFO(column.name);
      CHECK(other.steps()[i].*column.value ==
            Approx(plain.steps()[i].*column.value).epsilon(1e-8).margin(1e-12));
    }
  }
  for (std::size_t i = 0; i < plain.probes().size(); ++i) {
    INFO(plain.probes()[i].quantity->name);
    CHECK(other.probes()[i].summary.median ==
          Approx(plain.probes()[i].summary.median).epsilon(1e-8).margin(1e-12));
  }
}
