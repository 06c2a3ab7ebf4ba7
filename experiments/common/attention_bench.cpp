#include "common/attention_bench.hpp"

#include <span>
#include <string>

#include "rootdk/attention/attention.hpp"
#include "rootdk/attention/projections.hpp"
#include "rootdk/random.hpp"

namespace rootdk {
namespace {

template <class T>
void fill(const View<T>& view, std::uint64_t seed, std::string_view name) {
  Stream stream(StreamKey(seed, name, {view.shape[0], view.shape[1]}));
  fill_normal(stream, std::span(view.data, static_cast<std::size_t>(view.shape.size())));
}

// A tape with one output that is run in one direction. Only a tape that runs backward has
// gradients; that of its output comes from outside.
template <class T>
class Graph {
 public:
  Graph(theory::Pass pass, const BenchOptions& options)
      : backward_(pass == theory::Pass::backward), options_(options) {}

  Var<T> input(Index rows, Index cols, std::string_view name) {
    const Shape shape{rows, cols};
    const Var<T> var = backward_ ? tape_.variable(shape, name) : tape_.constant(shape, name);
    fill(var.writable_value(), options_.seed, name);
    return var;
  }
  Var<T> weights(Parameter<T>& w) { return backward_ ? tape_.parameter(w) : tape_.frozen(w); }

  void ends_in(Var<T> output) {
    output_ = output;
    if (!backward_) return;
    gradient_ = gradient_memory_.tensor<T>(output.shape());
    fill(gradient_, options_.seed, "gradient");
  }
  void run() { backward_ ? tape_.backward(output_, gradient_) : tape_.replay(); }
  std::size_t bytes() const { return tape_.bytes(); }

 private:
  bool backward_;
  const BenchOptions& options_;
  Tape<T> tape_;
  Var<T> output_;
  Arena gradient_memory_;  // not the tape's: in a network it is the next layer's
  View<T> gradient_;
};

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
    Graph<T> layer(pass, options_);
    const Var<T> X = layer.input(n_, m_, "x");
    const Var<T> Q = project(layer, X, w_.w_q);
    const Var<T> K = project(layer, X, w_.w_k);
    const Var<T> V = project(layer, X, w_.w_v);
    layer.ends_in(attend(Q, K, V));
    result.layer = time({&layer});
    result.bytes = layer.bytes() + bytes_of_weights(pass);
  }
  // Three graphs, since a tape goes back from one output.
  void measure_projections(theory::Pass pass, PassMeasured& result) {
    Graph<T> q(pass, options_), k(pass, options_), v(pass, options_);
    q.ends_in(project(q, q.input(n_, m_, "x"), w_.w_q));
    k.ends_in(project(k, k.input(n_, m_, "x"), w_.w_k));
    v.ends_in(project(v, v.input(n_, m_, "x"), w_.w_v));
    result.projections = time({&q, &k, &v});
  }
  void measure_attention(theory::Pass pass, PassMeasured& result) {
    Graph<T> core(pass, options_);
    const Var<T> Q = core.input(n_, w_.w_q.shape[1], "q");
    const Var<T> K = core.input(n_, w_.w_k.shape[1], "k");
    const Var<T> V = core.input(n_, w_.w_v.shape[1], "v");
    core.ends_in(attend(Q, K, V));
    result.attention = time({&core});
  }

  Var<T> project(Graph<T>& graph, Var<T> X, Parameter<T>& w) const {
    return matmul(X, graph.weights(w), {.backend = options_.gemm});
  }
  Var<T> attend(Var<T> Q, Var<T> K, Var<T> V) const {
    return attention(Q, K, V, {.gemm = options_.gemm, .kind = options_.attention}).output;
  }
  Timing time(std::initializer_list<Graph<T>*> graphs) const {
    return time_of(options_.repeats, options_.each, [&] {
      for (Graph<T>* graph : graphs) graph->run();
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
