#include "attention_cost/attention_bench.hpp"

#include "common/timed_graph.hpp"
#include "rootdk/attention/attention.hpp"
#include "rootdk/attention/projections.hpp"

namespace rootdk {
namespace {

template <class T>
class Bench {
 public:
  Bench(const theory::LayerSizes& sizes, const BenchOptions& options)
      : n_(sizes.n_tokens),
        m_(sizes.d_model),
        options_(options),
        w_(sizes.d_model, sizes.d_k, sizes.d_v, options.seed) {}

  PassMeasured measure(theory::Pass pass) {
    PassMeasured result;
    measure_layer(pass, result);
    measure_projections(pass, result);
    measure_attention(pass, result);
    return result;
  }

 private:
  void measure_layer(theory::Pass pass, PassMeasured& result) {
    TimedGraph<T> layer = graph(pass);
    const Var<T> X = layer.input(Shape{n_, m_}, "x");
    const Var<T> Q = project(layer, X, w_.w_q);
    const Var<T> K = project(layer, X, w_.w_k);
    const Var<T> V = project(layer, X, w_.w_v);
    layer.ends_in(attend(Q, K, V));
    result.layer = time({&layer});
    result.bytes = layer.tape_bytes() + bytes_of_weights(pass);
  }
  // Three graphs, since a tape goes back from one output.
  void measure_projections(theory::Pass pass, PassMeasured& result) {
    TimedGraph<T> q = graph(pass), k = graph(pass), v = graph(pass);
    q.ends_in(project(q, q.input(Shape{n_, m_}, "x"), w_.w_q));
    k.ends_in(project(k, k.input(Shape{n_, m_}, "x"), w_.w_k));
    v.ends_in(project(v, v.input(Shape{n_, m_}, "x"), w_.w_v));
    result.projections = time({&q, &k, &v});
  }
  void measure_attention(theory::Pass pass, PassMeasured& result) {
    TimedGraph<T> core = graph(pass);
    const Var<T> Q = core.input(Shape{n_, w_.w_q.shape[1]}, "q");
    const Var<T> K = core.input(Shape{n_, w_.w_k.shape[1]}, "k");
    const Var<T> V = core.input(Shape{n_, w_.w_v.shape[1]}, "v");
    core.ends_in(attend(Q, K, V));
    result.attention = time({&core});
  }

  TimedGraph<T> graph(theory::Pass pass) const {
    return TimedGraph<T>(pass == theory::Pass::backward, options_.seed);
  }
  Var<T> project(TimedGraph<T>& graph, Var<T> X, Parameter<T>& w) const {
    return matmul(X, graph.weights(w), {.backend = options_.gemm});
  }
  Var<T> attend(Var<T> Q, Var<T> K, Var<T> V) const {
    return attention(Q, K, V, {.gemm = options_.gemm, .kind = options_.attention}).output;
  }
  Timing time(std::initializer_list<TimedGraph<T>*> graphs) const {
    return time_of(options_.repeats, options_.each, [&] {
      for (TimedGraph<T>* timed : graphs) timed->goes_back() ? timed->backward() : timed->forward();
    });
  }
  std::size_t bytes_of_weights(theory::Pass pass) {
    const Index copies = pass == theory::Pass::forward ? 1 : 2;
    Index numbers = 0;
    for (const Parameter<T>* w : w_.all()) numbers += copies * w->shape.size();
    return static_cast<std::size_t>(numbers) * sizeof(T);
  }

  Index n_, m_;
  const BenchOptions& options_;
  Projections<T> w_;
};

}  // namespace

template <class T>
std::array<PassMeasured, 2> measure_attention(const theory::LayerSizes& sizes,
                                              const BenchOptions& options) {
  Bench<T> bench(sizes, options);
  return {bench.measure(theory::Pass::forward), bench.measure(theory::Pass::backward)};
}

template std::array<PassMeasured, 2> measure_attention<float>(const theory::LayerSizes&,
                                                              const BenchOptions&);
template std::array<PassMeasured, 2> measure_attention<double>(const theory::LayerSizes&,
                                                               const BenchOptions&);

}  // namespace rootdk
