#include "rootdk/tasks/lookup.hpp"

#include <vector>

#include "rootdk/tasks/batch_streams.hpp"
#include "rootdk/tasks/checks.hpp"
#include "rootdk/tasks/embedding.hpp"

namespace rootdk {
namespace {

template <class T>
class LookupTask final : public Task<T> {
 public:
  explicit LookupTask(const TaskParameters& p)
      : info_(Lookup::info(p)),
        keys_(info_.n_keys, p.slot_dim, {p.seed, "lookup/keys", {info_.n_keys, p.slot_dim}}),
        classes_(p.n_classes, p.slot_dim, {p.seed, "lookup/classes", {p.n_classes, p.slot_dim}}),
        streams_(p.seed, "lookup", {p.n_tokens, p.n_classes, info_.n_keys}),
        pool_(static_cast<std::size_t>(info_.n_keys)),
        key_(static_cast<std::size_t>(p.n_tokens)),
        class_(static_cast<std::size_t>(p.n_tokens)),
        right_key_(static_cast<std::size_t>(p.n_tokens)) {}

  const TaskInfo& info() const override { return info_; }

  void sample(Split split, std::uint64_t step, const Batch<T>& batch) override {
    const Index n = info_.n_queries;
    check_batch(Lookup::name, info_, n, batch);
    const Rows<T> tokens(batch.tokens);
    for (Index b = 0; b < batch.tokens.shape[0]; ++b) {
      draw(streams_.sequence(split, step, b));
      for (Index i = 0; i < n; ++i) {
        const auto own = static_cast<std::size_t>(i);
        const auto right = static_cast<std::size_t>(right_key_[own]);
        T* x = tokens[b * n + i];
        x = write_vector(x, keys_[key_[right]]);     // ask
        x = write_vector(x, keys_[key_[own]]);       // key
        x = write_vector(x, classes_[class_[own]]);  // value
        batch.labels(b, i) = class_[right];
        batch.right_key(b, i) = right_key_[own];
      }
    }
  }

 private:
  void draw(Stream stream) {
    choose_distinct(stream, pool_, key_);
    choose_any(stream, static_cast<std::int32_t>(info_.d_v), class_);
    choose_any(stream, static_cast<std::int32_t>(info_.n_queries), right_key_);
  }

  TaskInfo info_;
  EmbeddingTable<T> keys_;
  EmbeddingTable<T> classes_;
  BatchStreams streams_;
  // One sequence: which key and which class token i has, and whom it asks.
  std::vector<std::int32_t> pool_, key_, class_, right_key_;
};

}  // namespace

TaskInfo Lookup::info(const TaskParameters& parameters) {
  check_ranges(parameters);
  TaskInfo info;
  info.n_keys = parameters.n_keys == 0 ? 4 * parameters.n_tokens : parameters.n_keys;
  check_at_least("n_keys", info.n_keys, "n_tokens", parameters.n_tokens,
                 "keys are drawn without replacement");
  info.d_model = 3 * parameters.slot_dim;
  info.d_v = parameters.n_classes;
  info.n_queries = parameters.n_tokens;
  info.self_attention = true;
  info.chance = 1 / static_cast<double>(parameters.n_classes);
  check_memory(info, parameters);
  return info;
}

template <class T>
std::unique_ptr<Task<T>> Lookup::make(const TaskParameters& parameters) {
  return std::make_unique<LookupTask<T>>(parameters);
}
template std::unique_ptr<Task<float>> Lookup::make(const TaskParameters&);
template std::unique_ptr<Task<double>> Lookup::make(const TaskParameters&);

}  // namespace rootdk
