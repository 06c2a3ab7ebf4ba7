#include "common/model_weights.hpp"

#include <algorithm>

namespace rootdk {
namespace {

template <class T>
void copy(const Parameter<T>& from, Parameter<T>& to) {
  std::copy_n(from.value().data, from.shape.size(), to.value().data);
}

}  // namespace

template <class T>
std::unique_ptr<Projections<T>> initial_weights(const CellConfig& config) {
  const TaskInfo info = find_task(config.task).info(config.task_parameters);
  return std::make_unique<Projections<T>>(info.d_model, config.d_k, info.d_v,
                                          config.task_parameters.seed);
}

template <class T>
std::unique_ptr<Projections<T>> copy_of(const Projections<T>& weights) {
  const auto& [w_q, w_k, w_v] = weights;
  auto result = std::make_unique<Projections<T>>(w_q.shape[0], w_q.shape[1], w_v.shape[1], 0);
  copy(w_q, result->w_q);
  copy(w_k, result->w_k);
  copy(w_v, result->w_v);
  return result;
}

template <class T>
std::unique_ptr<Projections<T>> changed_by(const Intervention<T>& intervention,
                                           const Projections<T>& weights, std::uint64_t seed) {
  auto result = copy_of(weights);
  intervention.apply(*result, seed);
  return result;
}

template <class T>
Tally ask(const CellConfig& config, Projections<T>& weights, Relation relation, Index sequences) {
  TaskParameters parameters = config.task_parameters;
  parameters.relation = relation;
  const auto task = make_task<T>(config.task, parameters);
  RetrievalGraph<T> graph(
      weights, task->info(), parameters.batch_size, parameters.n_tokens,
      {.rule = score_rule(config.scale), .gemm = config.gemm, .projections = config.projections},
      Weights::frozen);
  return evaluate(*task, graph, sequences);
}

template std::unique_ptr<Projections<float>> initial_weights(const CellConfig&);
template std::unique_ptr<Projections<double>> initial_weights(const CellConfig&);
template std::unique_ptr<Projections<float>> copy_of(const Projections<float>&);
template std::unique_ptr<Projections<double>> copy_of(const Projections<double>&);
template std::unique_ptr<Projections<float>> changed_by(const Intervention<float>&,
                                                        const Projections<float>&, std::uint64_t);
template std::unique_ptr<Projections<double>> changed_by(const Intervention<double>&,
                                                         const Projections<double>&, std::uint64_t);
template Tally ask(const CellConfig&, Projections<float>&, Relation, Index);
template Tally ask(const CellConfig&, Projections<double>&, Relation, Index);

}  // namespace rootdk
