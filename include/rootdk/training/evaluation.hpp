#pragma once
#include "rootdk/training/retrieval_graph.hpp"

namespace rootdk {

// Answers counted over an evaluation.
struct Tally {
  Index correct = 0;
  Index asked = 0;
  double accuracy() const { return static_cast<double>(correct) / static_cast<double>(asked); }
};

// Runs the graph, with its weights as they stand, on the first batches of the task's evaluation
// stream: as many as hold `sequences` at least. The task may ask for another relation than the one
// the weights were trained on, if its shapes are the same. Allocates nothing.
template <class T>
Tally evaluate(Task<T>& task, RetrievalGraph<T>& graph, Index sequences) {
  const Index batch = graph.batch().tokens.shape[0];
  const Index batches = (sequences + batch - 1) / batch;
  Tally tally;
  for (Index b = 0; b < batches; ++b) {
    task.sample(Split::evaluation, static_cast<std::uint64_t>(b), graph.batch());
    graph.tape().replay();
    tally.correct += graph.correct();
    tally.asked += graph.batch().labels.shape.size();
  }
  return tally;
}

}  // namespace rootdk
