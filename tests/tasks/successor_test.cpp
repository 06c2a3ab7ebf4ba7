#include "rootdk/tasks/successor.hpp"

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "catch.hpp"
#include "tasks/batch_memory.hpp"

using namespace rootdk;

namespace {

TaskParameters parameters(Relation relation = Relation::successor) {
  TaskParameters p;
  p.n_tokens = 6;
  p.slot_dim = 4;
  p.n_classes = 8;
  p.n_keys = 12;
  p.n_queries = 3;
  p.batch_size = 60;
  p.relation = relation;
  return p;
}

// A batch with the memory it points to.
struct Sample {
  TaskParameters p;
  std::unique_ptr<Task<double>> task = Successor::make<double>(p);
  BatchMemory<double> memory{*task, p};
  const Batch<double>& batch = memory.batch;

  explicit Sample(Relation relation, Split split = Split::train) : p(parameters(relation)) {
    task->sample(split, 3, batch);
  }
  // A symbol is recognised by the first entry of its embedding.
  double symbol(Index b, Index j) const { return batch.tokens(b, j, 0); }
  double asker(Index b, Index i) const { return batch.queries(b, i, 0); }
};

// Who answers whom, gathered from the numbers of the batch alone; fails when an asker has two.
std::map<double, double> relation_of(const Sample& sample) {
  std::map<double, double> answer;
  for (Index b = 0; b < sample.p.batch_size; ++b) {
    for (Index i = 0; i < sample.p.n_queries; ++i) {
      const double found = sample.symbol(b, sample.batch.right_key(b, i));
      const auto [place, is_new] = answer.try_emplace(sample.asker(b, i), found);
      CHECK((is_new || place->second == found));
    }
  }
  return answer;
}

}  // namespace

TEST_CASE("successor describes itself") {
  TaskParameters p;
  p.n_tokens = 12;
  p.n_classes = 32;
  const TaskInfo info = Successor::info(p);
  CHECK(info.d_model == 64);
  CHECK(info.d_v == 32);
  CHECK(info.n_keys == 24);
  CHECK(info.n_queries == 1);
  CHECK_FALSE(info.self_attention);
  CHECK(info.chance == 1.0 / 12);
}

TEST_CASE("successor refuses what is not made of whole cycles") {
  TaskParameters p = parameters();
  p.n_tokens = 7;
  CHECK_THROWS_WITH(Successor::info(p),
                    "n_tokens = 7 must be a multiple of 3: symbols come in cycles of three");
  p = parameters();
  p.n_keys = 10;
  CHECK_THROWS_WITH(Successor::info(p),
                    "n_keys = 10 must be a multiple of 3: symbols come in cycles of three");
  p = parameters();
  p.n_classes = 5;
  CHECK_THROWS_WITH(
      Successor::info(p),
      "n_classes = 5 must be at least n_tokens = 6: values are drawn without replacement");
}

TEST_CASE("successor: the relation is a permutation in cycles of three") {
  const auto next = relation_of(Sample(Relation::successor));
  const auto before = relation_of(Sample(Relation::predecessor));
  const auto self = relation_of(Sample(Relation::identity));
  CHECK(next.size() == 12);
  for (const auto& [symbol, successor] : next) {
    CHECK(successor != symbol);
    CHECK(next.at(successor) != symbol);
    CHECK(next.at(next.at(successor)) == symbol);
    CHECK(before.at(successor) == symbol);
    CHECK(self.at(symbol) == symbol);
  }
}

TEST_CASE("successor: contexts are whole cycles, shuffled, and labels are the values found") {
  const Sample sample(Relation::successor, Split::evaluation);
  const TaskParameters& p = sample.p;
  const auto next = relation_of(Sample(Relation::successor));
  std::set<Index> places;  // of the successor, seen from the symbol
  for (Index b = 0; b < p.batch_size; ++b) {
    std::map<double, Index> token;
    std::vector<Index> value_of;
    for (Index j = 0; j < p.n_tokens; ++j) {
      token[sample.symbol(b, j)] = j;
      Index hot = -1, nonzero = 0;
      for (Index v = 0; v < p.n_classes; ++v) {
        if (sample.batch.tokens(b, j, p.slot_dim + v) == 0) continue;
        CHECK(sample.batch.tokens(b, j, p.slot_dim + v) == std::sqrt(8.0));
        ++nonzero;
        hot = v;
      }
      CHECK(nonzero == 1);
      value_of.push_back(hot);
    }
    CHECK(token.size() == 6);
    CHECK(std::set<Index>(value_of.begin(), value_of.end()).size() == 6);
    for (const auto& [symbol, j] : token) {
      REQUIRE(token.count(next.at(symbol)) == 1);
      places.insert((token[next.at(symbol)] - j + p.n_tokens) % p.n_tokens);
    }
    for (Index i = 0; i < p.n_queries; ++i) {
      const Index right = token.at(next.at(sample.asker(b, i)));
      CHECK(sample.batch.right_key(b, i) == right);
      CHECK(sample.batch.labels(b, i) == value_of[static_cast<std::size_t>(right)]);
      for (Index c = 0; c < p.slot_dim; ++c) {  // a query is the embedding as it is in a token
        const Index own = token.at(sample.asker(b, i));
        CHECK(sample.batch.queries(b, i, c) == sample.batch.tokens(b, own, c));
      }
      for (Index v = 0; v < p.n_classes; ++v)
        CHECK(sample.batch.queries(b, i, p.slot_dim + v) == 0);
    }
  }
  CHECK(places.size() == 5);  // position says nothing
}

TEST_CASE("successor: every relation is asked of the same sequences") {
  const Sample successor(Relation::successor), predecessor(Relation::predecessor),
      identity(Relation::identity);
  CHECK(successor.memory.tokens == predecessor.memory.tokens);
  CHECK(successor.memory.queries == predecessor.memory.queries);
  CHECK(successor.memory.tokens == identity.memory.tokens);
  CHECK(successor.memory.labels != predecessor.memory.labels);
}

TEST_CASE("successor: cycles and askers are drawn uniformly") {
  TaskParameters p = parameters();
  p.n_queries = 1;
  p.batch_size = 4800;
  const auto task = Successor::make<double>(p);
  BatchMemory<double> memory(*task, p);
  task->sample(Split::train, 0, memory.batch);
  std::map<double, double> asked;
  std::vector<double> right(6);
  for (Index b = 0; b < p.batch_size; ++b) {
    ++asked[memory.batch.queries(b, 0, 0)];
    ++right[static_cast<std::size_t>(memory.batch.right_key(b, 0))];
  }
  double symbols = 0, tokens = 0;
  for (const auto& [symbol, count] : asked) symbols += (count - 400) * (count - 400) / 400;
  for (const double count : right) tokens += (count - 800) * (count - 800) / 800;
  CHECK(asked.size() == 12);
  CHECK(symbols < 37.4);  // chi-square, 11 degrees of freedom: P = 1e-4
  CHECK(tokens < 25.7);   // 5 degrees of freedom
}
