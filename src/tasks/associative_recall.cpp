#include "rootdk/tasks/associative_recall.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rootdk/tasks/batch_streams.hpp"
#include "rootdk/tasks/checks.hpp"
#include "rootdk/tasks/embedding.hpp"
#include "rootdk/tasks/pair_tokens.hpp"

namespace rootdk {
namespace {

template <class T>
class AssociativeRecallTask final : public Task<T> {
 public:
  explicit AssociativeRecallTask(const TaskParameters& p)
      : info_(AssociativeRecall::info(p)),
        n_tokens_(p.n_tokens),
        value_length_(std::sqrt(static_cast<double>(p.n_classes))),
        query_factor_(
            std::sqrt(static_cast<double>(info_.d_model) / static_cast<double>(p.slot_dim))),
        keys_(info_.n_keys, p.slot_dim,
              {p.seed, "associative_recall/keys", {info_.n_keys, p.slot_dim}}),
        streams_(p.seed, "associative_recall", {p.n_tokens, p.n_classes, info_.n_keys}),
        key_pool_(static_cast<std::size_t>(info_.n_keys)),
        value_pool_(static_cast<std::size_t>(p.n_classes)),
        key_(static_cast<std::size_t>(p.n_tokens)),
        value_(static_cast<std::size_t>(p.n_tokens)),
        right_key_(static_cast<std::size_t>(p.n_queries)) {}

  const TaskInfo& info() const override { return info_; }

  void sample(Split split, std::uint64_t step, const Batch<T>& batch) override {
    check_batch(AssociativeRecall::name, info_, n_tokens_, batch);
    for (Index b = 0; b < batch.tokens.shape[0]; ++b) {
      draw(streams_.sequence(split, step, b));
      for (Index j = 0; j < n_tokens_; ++j) write_token(j, batch.tokens.row(b * n_tokens_ + j));
      for (Index i = 0; i < info_.n_queries; ++i) {
        const auto right = right_key_[static_cast<std::size_t>(i)];
        write_query(right, batch.queries.row(b * info_.n_queries + i));
        batch.labels(b, i) = value_[static_cast<std::size_t>(right)];
        batch.right_key(b, i) = right;
      }
    }
  }

 private:
  void draw(Stream stream) {
    choose_distinct(stream, key_pool_, key_);
    choose_distinct(stream, value_pool_, value_);
    choose_any(stream, static_cast<std::int32_t>(n_tokens_), right_key_);
  }
  void write_token(Index j, T* x) const {
    x = write_scaled(x, keys_[key_[static_cast<std::size_t>(j)]], 1);
    std::fill_n(x, info_.d_v, T{0});
    x[value_[static_cast<std::size_t>(j)]] = static_cast<T>(value_length_);
  }
  void write_query(Index right, T* x) const {
    x = write_scaled(x, keys_[key_[static_cast<std::size_t>(right)]], query_factor_);
    std::fill_n(x, info_.d_v, T{0});
  }

  TaskInfo info_;
  Index n_tokens_;
  double value_length_;
  double query_factor_;
  EmbeddingTable<double> keys_;  // rounded once, after the factor of a query
  BatchStreams streams_;
  // One sequence: which key and which value token j has, and whom query i asks.
  std::vector<std::int32_t> key_pool_, value_pool_, key_, value_, right_key_;
};

}  // namespace

TaskInfo AssociativeRecall::info(const TaskParameters& parameters) {
  return pair_task_info(parameters, 64);
}

template <class T>
std::unique_ptr<Task<T>> AssociativeRecall::make(const TaskParameters& parameters) {
  return std::make_unique<AssociativeRecallTask<T>>(parameters);
}
template std::unique_ptr<Task<float>> AssociativeRecall::make(const TaskParameters&);
template std::unique_ptr<Task<double>> AssociativeRecall::make(const TaskParameters&);

}  // namespace rootdk
