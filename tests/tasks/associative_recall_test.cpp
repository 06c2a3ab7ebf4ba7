#include "rootdk/tasks/associative_recall.hpp"

#include <cmath>
#include <set>
#include <vector>

#include "catch.hpp"
#include "tasks/batch_memory.hpp"

using namespace rootdk;

namespace {

TaskParameters parameters() {
  TaskParameters p;
  p.n_tokens = 6;
  p.slot_dim = 4;
  p.n_classes = 8;
  p.n_keys = 10;
  p.n_queries = 3;
  p.batch_size = 40;
  return p;
}

}  // namespace

TEST_CASE("associative recall describes itself") {
  TaskParameters p;
  p.n_tokens = 16;
  p.n_classes = 32;
  const TaskInfo info = AssociativeRecall::info(p);
  CHECK(info.d_model == 64);
  CHECK(info.d_v == 32);
  CHECK(info.n_queries == 1);
  CHECK(info.n_keys == 64);
  CHECK_FALSE(info.self_attention);
  CHECK(info.chance == 1.0 / 16);
}

TEST_CASE("associative recall refuses more tokens than keys or values") {
  TaskParameters p;
  p.n_tokens = 70;
  p.n_classes = 80;
  CHECK_THROWS_WITH(
      AssociativeRecall::info(p),
      "n_keys = 64 must be at least n_tokens = 70: keys are drawn without replacement");
  p.n_keys = 70;
  CHECK_NOTHROW(AssociativeRecall::info(p));
  p.n_classes = 69;
  CHECK_THROWS_WITH(
      AssociativeRecall::info(p),
      "n_classes = 69 must be at least n_tokens = 70: values are drawn without replacement");
}

// Decoded from the numbers of the batch alone.
TEST_CASE("associative recall labels the value of the key that is asked for") {
  const TaskParameters p = parameters();
  const auto task = AssociativeRecall::make<double>(p);
  BatchMemory<double> memory(*task, p);
  const Batch<double>& batch = memory.batch;
  task->sample(Split::train, 3, batch);
  const double factor = std::sqrt(12.0 / 4.0);

  std::set<double> vocabulary;
  for (Index b = 0; b < p.batch_size; ++b) {
    std::set<double> keys;
    std::set<Index> values;
    std::vector<Index> value_of;
    for (Index j = 0; j < p.n_tokens; ++j) {
      keys.insert(batch.tokens(b, j, 0));  // a key is recognised by its first entry
      Index hot = -1, nonzero = 0;
      for (Index v = 0; v < p.n_classes; ++v) {
        if (batch.tokens(b, j, p.slot_dim + v) != 0) {
          ++nonzero;
          hot = v;
          CHECK(batch.tokens(b, j, p.slot_dim + v) == std::sqrt(8.0));
        }
      }
      CHECK(nonzero == 1);
      values.insert(hot);
      value_of.push_back(hot);
    }
    CHECK(keys.size() == 6);
    CHECK(values.size() == 6);
    vocabulary.insert(keys.begin(), keys.end());
    for (Index i = 0; i < p.n_queries; ++i) {
      Index found = -1;
      for (Index j = 0; j < p.n_tokens; ++j) {
        bool same = true;
        for (Index c = 0; c < p.slot_dim; ++c) {
          same = same && batch.queries(b, i, c) == factor * batch.tokens(b, j, c);
        }
        if (same) found = j;
      }
      REQUIRE(found >= 0);
      CHECK(batch.right_key(b, i) == found);
      CHECK(batch.labels(b, i) == value_of[static_cast<std::size_t>(found)]);
      for (Index c = p.slot_dim; c < p.slot_dim + p.n_classes; ++c) {
        CHECK(batch.queries(b, i, c) == 0);
      }
    }
  }
  CHECK(vocabulary.size() == 10);
}

TEST_CASE("associative recall tokens and queries are equally long on average") {
  TaskParameters p = parameters();
  p.slot_dim = GENERATE(8, 32);
  p.n_keys = 200;
  p.batch_size = 200;
  const auto task = AssociativeRecall::make<double>(p);
  BatchMemory<double> memory(*task, p);
  task->sample(Split::train, 0, memory.batch);
  const auto mean_square = [](const std::vector<double>& entries) {
    double square = 0;
    for (const double x : entries) square += x * x;
    return square / static_cast<double>(entries.size());
  };
  // The table holds 200 * slot_dim entries: standard error of a query's mean square at most
  // sqrt(2 / 1600) = 0.035, more for keys that come up more often.
  CHECK(mean_square(memory.tokens) == Approx(1).margin(0.15));
  CHECK(mean_square(memory.queries) == Approx(1).margin(0.15));
}

TEST_CASE("associative recall asks uniformly and independently") {
  TaskParameters p = parameters();
  p.n_queries = 2;
  p.batch_size = 3600;
  const auto task = AssociativeRecall::make<double>(p);
  BatchMemory<double> memory(*task, p);
  task->sample(Split::train, 0, memory.batch);
  // 36 pairs of tokens asked for, 100 expected of each, equal pairs among them; 35 degrees of
  // freedom: P(above 74.9) = 1e-4.
  std::vector<double> count(36);
  double chance_hits = 0;
  for (Index b = 0; b < p.batch_size; ++b) {
    ++count[static_cast<std::size_t>(6 * memory.batch.right_key(b, 0) +
                                     memory.batch.right_key(b, 1))];
    // The best blind guess: a value that is present, here that of token 2.
    for (Index v = 0; v < p.n_classes; ++v) {
      if (memory.batch.tokens(b, 2, p.slot_dim + v) != 0)
        chance_hits += memory.batch.labels(b, 0) == v;
    }
  }
  double chi_square = 0;
  for (const double c : count) chi_square += (c - 100) * (c - 100) / 100;
  CHECK(chi_square < 74.9);
  const double chance = task->info().chance;
  CHECK(std::fabs(chance_hits / 3600 - chance) < 4 * std::sqrt(chance * (1 - chance) / 3600));
}

TEST_CASE("associative recall with more queries begins with those of fewer") {
  TaskParameters few = parameters(), more = parameters();
  more.n_queries = 5;
  const auto a = AssociativeRecall::make<double>(few);
  const auto b = AssociativeRecall::make<double>(more);
  BatchMemory<double> one(*a, few), two(*b, more);
  a->sample(Split::evaluation, 4, one.batch);
  b->sample(Split::evaluation, 4, two.batch);
  CHECK(one.tokens == two.tokens);
  for (Index s = 0; s < few.batch_size; ++s) {
    for (Index i = 0; i < 3; ++i) CHECK(one.batch.right_key(s, i) == two.batch.right_key(s, i));
  }
}
