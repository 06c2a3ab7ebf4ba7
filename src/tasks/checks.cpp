#include "rootdk/tasks/checks.hpp"

#include <initializer_list>
#include <limits>

namespace rootdk {
namespace {

std::string assignment(std::string_view key, Index value) {
  return std::string(key) + " = " + std::to_string(value);
}

void check_range(std::string_view key, Index value, Index least) {
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  if (value < least || value > most) {
    throw TaskError(std::string(key), assignment(key, value) + " must be between " +
                                          std::to_string(least) + " and " + std::to_string(most));
  }
}

// Whether 8 * (product of factors) bytes can be addressed.
bool addressable(std::initializer_list<Index> factors) {
  Index bytes = sizeof(double);
  for (const Index factor : factors) {
    if (__builtin_mul_overflow(bytes, factor, &bytes)) return false;
  }
  return true;
}

// Sampling allocates nothing, so text is made on failure only.
template <class Element>
void check_view(std::string_view task, std::string_view name, const View<Element>& view,
                const Shape& shape) {
  if (view && view.shape == shape && view.has_contiguous_rows()) return;
  std::string message = std::string(task) + ": batch." + std::string(name);
  if (!view) {
    message += " points nowhere; it needs " + to_string(shape);
  } else if (view.shape != shape) {
    message += " has shape " + to_string(view.shape) + ", not " + to_string(shape);
  } else {
    message += " must have contiguous rows";
  }
  throw std::invalid_argument(message);
}

}  // namespace

void check_ranges(const TaskParameters& parameters) {
  check_range("n_tokens", parameters.n_tokens, 2);
  check_range("slot_dim", parameters.slot_dim, 1);
  check_range("n_classes", parameters.n_classes, 2);
  check_range("n_keys", parameters.n_keys, 0);
  check_range("n_queries", parameters.n_queries, 1);
  check_range("batch_size", parameters.batch_size, 1);
}

void check_at_least(std::string_view key, Index value, std::string_view other, Index least,
                    std::string_view reason) {
  if (value >= least) return;
  throw TaskError(std::string(key), assignment(key, value) + " must be at least " +
                                        assignment(other, least) + ": " + std::string(reason));
}

void check_memory(const TaskInfo& info, const TaskParameters& parameters) {
  if (!addressable({info.n_keys, info.d_model})) {
    throw TaskError("n_keys", assignment("n_keys", info.n_keys) +
                                  " embeddings for tokens of width " +
                                  std::to_string(info.d_model) + " exceed the address space");
  }
  // Both counts are below 2^31 by check_ranges, so their sum is exact.
  const Index vectors = parameters.n_tokens + info.n_queries;
  if (!addressable({parameters.batch_size, vectors, info.d_model})) {
    throw TaskError("batch_size", assignment("batch_size", parameters.batch_size) +
                                      " sequences of " + std::to_string(vectors) +
                                      " tokens and queries of width " +
                                      std::to_string(info.d_model) + " exceed the address space");
  }
}

template <class T>
void check_batch(std::string_view task, const TaskInfo& info, Index n_tokens,
                 const Batch<T>& batch) {
  if (!batch.tokens || batch.tokens.rank() != 3) {
    throw std::invalid_argument(std::string(task) + ": batch.tokens must be (B, " +
                                std::to_string(n_tokens) + ", " + std::to_string(info.d_model) +
                                ")");
  }
  const Index B = batch.tokens.shape[0];
  check_view(task, "tokens", batch.tokens, Shape{B, n_tokens, info.d_model});
  if (!info.self_attention) {
    check_view(task, "queries", batch.queries, Shape{B, info.n_queries, info.d_model});
  }
  check_view(task, "labels", batch.labels, Shape{B, info.n_queries});
  check_view(task, "right_key", batch.right_key, Shape{B, info.n_queries});
}
template void check_batch(std::string_view, const TaskInfo&, Index, const Batch<float>&);
template void check_batch(std::string_view, const TaskInfo&, Index, const Batch<double>&);

}  // namespace rootdk
