#pragma once
#include <cstdint>
#include <vector>

#include "rootdk/tasks/task.hpp"

// Memory for one batch of a task, filled with nonsense so that an entry left unwritten shows.
template <class T>
struct BatchMemory {
  std::vector<T> tokens, queries;
  std::vector<std::int32_t> labels, right_key;
  rootdk::Batch<T> batch;

  BatchMemory(const rootdk::Task<T>& task, const rootdk::TaskParameters& p) {
    const rootdk::TaskInfo& info = task.info();
    const rootdk::Index B = p.batch_size, n = p.n_tokens, n_q = info.n_queries, m = info.d_model;
    tokens.assign(static_cast<std::size_t>(B * n * m), T{-777});
    labels.assign(static_cast<std::size_t>(B * n_q), -777);
    right_key = labels;
    batch.tokens = {tokens.data(), {B, n, m}};
    if (!info.self_attention) {
      queries.assign(static_cast<std::size_t>(B * n_q * m), T{-777});
      batch.queries = {queries.data(), {B, n_q, m}};
    }
    batch.labels = {labels.data(), {B, n_q}};
    batch.right_key = {right_key.data(), {B, n_q}};
  }
  BatchMemory(const BatchMemory&) = delete;  // the views point into this object

  bool operator==(const BatchMemory& other) const {
    return tokens == other.tokens && queries == other.queries && labels == other.labels &&
           right_key == other.right_key;
  }
};
