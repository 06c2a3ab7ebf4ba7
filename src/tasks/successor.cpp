#include "rootdk/tasks/successor.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "rootdk/tasks/batch_streams.hpp"
#include "rootdk/tasks/checks.hpp"
#include "rootdk/tasks/embedding.hpp"
#include "rootdk/tasks/pair_tokens.hpp"

namespace rootdk {
namespace {

constexpr std::int32_t cycle = 3;

// How far along its cycle the symbol that a relation asks for lies.
std::int32_t steps_along(Relation relation) {
  switch (relation) {
    case Relation::identity: return 0;
    case Relation::successor: return 1;
    case Relation::predecessor: return cycle - 1;
  }
  return 0;
}

template <class T>
class SuccessorTask final : public Task<T> {
 public:
  explicit SuccessorTask(const TaskParameters& p)
      : info_(Successor::info(p)),
        n_tokens_(p.n_tokens),
        steps_along_(steps_along(p.relation)),
        value_length_(std::sqrt(static_cast<double>(p.n_classes))),
        symbols_(info_.n_keys, p.slot_dim, {p.seed, "successor/keys", {info_.n_keys, p.slot_dim}}),
        streams_(p.seed, "successor", {p.n_tokens, p.n_classes, info_.n_keys}),
        cycle_pool_(static_cast<std::size_t>(info_.n_keys / cycle)),
        token_pool_(static_cast<std::size_t>(p.n_tokens)),
        value_pool_(static_cast<std::size_t>(p.n_classes)),
        cycle_(static_cast<std::size_t>(p.n_tokens / cycle)),
        token_(static_cast<std::size_t>(p.n_tokens)),
        value_(static_cast<std::size_t>(p.n_tokens)),
        asks_(static_cast<std::size_t>(p.n_queries)) {}

  const TaskInfo& info() const override { return info_; }

  void sample(Split split, std::uint64_t step, const Batch<T>& batch) override {
    check_batch(Successor::name, info_, n_tokens_, batch);
    for (Index b = 0; b < batch.tokens.shape[0]; ++b) {
      draw(streams_.sequence(split, step, b));
      for (std::int32_t place = 0; place < n_tokens_; ++place) {
        const Index j = token_[static_cast<std::size_t>(place)];
        write_token(place, value_[static_cast<std::size_t>(j)],
                    batch.tokens.row(b * n_tokens_ + j));
      }
      for (Index i = 0; i < info_.n_queries; ++i) {
        const std::int32_t place = asks_[static_cast<std::size_t>(i)];
        write_query(place, batch.queries.row(b * info_.n_queries + i));
        const std::int32_t right = token_[static_cast<std::size_t>(related(place))];
        batch.labels(b, i) = value_[static_cast<std::size_t>(right)];
        batch.right_key(b, i) = right;
      }
    }
  }

 private:
  // Places count the symbols of a context in the order of its cycles, before they are shuffled:
  // place 3c + r is member r of cycle c, and stands in token token_[3c + r].
  void draw(Stream stream) {
    choose_distinct(stream, cycle_pool_, cycle_);
    choose_distinct(stream, token_pool_, token_);
    choose_distinct(stream, value_pool_, value_);
    choose_any(stream, static_cast<std::int32_t>(n_tokens_), asks_);
  }
  std::int32_t related(std::int32_t place) const {
    const std::int32_t member = place % cycle;
    return place - member + (member + steps_along_) % cycle;
  }
  std::span<const T> embedding(std::int32_t place) const {
    return symbols_[cycle * cycle_[static_cast<std::size_t>(place / cycle)] + place % cycle];
  }
  void write_token(std::int32_t place, std::int32_t value, T* x) const {
    x = write_vector(x, embedding(place));
    std::fill_n(x, info_.d_v, T{0});
    x[value] = static_cast<T>(value_length_);
  }
  void write_query(std::int32_t place, T* x) const {
    x = write_vector(x, embedding(place));
    std::fill_n(x, info_.d_v, T{0});
  }

  TaskInfo info_;
  Index n_tokens_;
  std::int32_t steps_along_;
  double value_length_;
  EmbeddingTable<T> symbols_;
  BatchStreams streams_;
  // One sequence: its cycles, the token at each place, the value of each token, and the places that
  // the queries ask from.
  std::vector<std::int32_t> cycle_pool_, token_pool_, value_pool_, cycle_, token_, value_, asks_;
};

void check_whole_cycles(std::string_view key, Index value) {
  if (value % cycle == 0) return;
  throw TaskError(std::string(key),
                  std::string(key) + " = " + std::to_string(value) +
                      " must be a multiple of 3: symbols come in cycles of three");
}

}  // namespace

TaskInfo Successor::info(const TaskParameters& parameters) {
  check_ranges(parameters);  // before the cycles: 1 token is too few, not a broken cycle
  check_whole_cycles("n_tokens", parameters.n_tokens);
  const TaskInfo info = pair_task_info(parameters, 2 * parameters.n_tokens);
  check_whole_cycles("n_keys", info.n_keys);
  return info;
}

template <class T>
std::unique_ptr<Task<T>> Successor::make(const TaskParameters& parameters) {
  return std::make_unique<SuccessorTask<T>>(parameters);
}
template std::unique_ptr<Task<float>> Successor::make(const TaskParameters&);
template std::unique_ptr<Task<double>> Successor::make(const TaskParameters&);

}  // namespace rootdk
