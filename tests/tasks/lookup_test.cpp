#include "rootdk/tasks/lookup.hpp"

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "catch.hpp"
#include "tasks/batch_memory.hpp"

using namespace rootdk;

namespace {

using Slot = std::vector<double>;

// Slot s of token i of sequence b: 0 asks, 1 is the key, 2 the value.
Slot slot(const Batch<double>& batch, Index b, Index i, Index s, Index width) {
  const double* first = &batch.tokens(b, i, s * width);
  return Slot(first, first + width);
}

}  // namespace

TEST_CASE("lookup describes itself") {
  TaskParameters p;
  const TaskInfo info = Lookup::info(p);
  CHECK(info.d_model == 96);
  CHECK(info.d_v == 8);
  CHECK(info.n_queries == 64);
  CHECK(info.n_keys == 256);
  CHECK(info.self_attention);
  CHECK(info.chance == 0.125);
  CHECK(info.loss == LossKind::cross_entropy);
  p.n_keys = 64;
  CHECK(Lookup::info(p).n_keys == 64);
}

// Decoded from the numbers of the batch alone: a token is found by the key it asks for, and a class
// is recognised by its vector.
TEST_CASE("lookup labels the class of the token that is asked for") {
  TaskParameters p;
  p.n_tokens = 7;
  p.slot_dim = 4;
  p.n_classes = 3;
  p.n_keys = GENERATE(0, 7);
  p.batch_size = 50;
  const auto task = Lookup::make<double>(p);
  BatchMemory<double> memory(*task, p);
  const Batch<double>& batch = memory.batch;
  task->sample(Split::train, 3, batch);

  std::map<Slot, std::int32_t> class_of;  // one vector a class over the whole batch
  std::set<Slot> vocabulary;
  for (Index b = 0; b < p.batch_size; ++b) {
    std::set<Slot> keys;
    for (Index i = 0; i < p.n_tokens; ++i) {
      keys.insert(slot(batch, b, i, 1, p.slot_dim));
      Index found = -1;
      for (Index j = 0; j < p.n_tokens; ++j) {
        if (slot(batch, b, j, 1, p.slot_dim) == slot(batch, b, i, 0, p.slot_dim)) found = j;
      }
      CHECK(batch.right_key(b, i) == found);
      REQUIRE(found >= 0);
      const auto [known, is_new] =
          class_of.emplace(slot(batch, b, found, 2, p.slot_dim), batch.labels(b, i));
      CHECK(known->second == batch.labels(b, i));
      CHECK(batch.labels(b, i) >= 0);
      CHECK(batch.labels(b, i) < p.n_classes);
    }
    CHECK(static_cast<Index>(keys.size()) == p.n_tokens);  // distinct
    vocabulary.insert(keys.begin(), keys.end());
  }
  CHECK(class_of.size() == 3);
  CHECK(static_cast<Index>(vocabulary.size()) == task->info().n_keys);
}

TEST_CASE("lookup asks for every token equally often and classes come up equally often") {
  TaskParameters p;
  p.n_tokens = 5;
  p.slot_dim = 2;
  p.n_classes = 4;
  p.batch_size = 2000;
  const auto task = Lookup::make<double>(p);
  BatchMemory<double> memory(*task, p);
  task->sample(Split::train, 0, memory.batch);

  // Chi-square with 24 degrees of freedom over (asking token, token asked): P(above 58.6) = 1e-4.
  double chi_square = 0;
  for (std::int32_t i = 0; i < 5; ++i) {
    for (std::int32_t j = 0; j < 5; ++j) {
      double count = 0;
      for (Index b = 0; b < p.batch_size; ++b) count += memory.batch.right_key(b, i) == j;
      chi_square += (count - 400) * (count - 400) / 400;
    }
  }
  CHECK(chi_square < 58.6);

  // A blind guess of one class is right at the chance level: 2000 independent sequences, of which
  // the first label is taken. Four standard errors.
  for (std::int32_t guess = 0; guess < 4; ++guess) {
    double hits = 0;
    for (Index b = 0; b < p.batch_size; ++b) hits += memory.batch.labels(b, 0) == guess;
    CHECK(std::fabs(hits / 2000 - task->info().chance) < 4 * std::sqrt(0.25 * 0.75 / 2000));
  }
}

TEST_CASE("lookup vectors have entries of unit variance") {
  TaskParameters p;
  p.slot_dim = 64;
  const auto task = Lookup::make<double>(p);
  BatchMemory<double> memory(*task, p);
  task->sample(Split::train, 0, memory.batch);
  double square = 0;
  for (const double x : memory.tokens) square += x * x;
  // The class block has only 8 * 64 independent entries: standard error 1/3 sqrt(2 / 512) = 0.021.
  CHECK(std::fabs(square / static_cast<double>(memory.tokens.size()) - 1) < 4 * 0.025);
}

TEST_CASE("lookup draws the same sequences whatever the width of a slot") {
  TaskParameters p;
  const auto narrow = Lookup::make<double>(p);
  BatchMemory<double> a(*narrow, p);
  p.slot_dim = 9;
  const auto wide = Lookup::make<double>(p);
  BatchMemory<double> b(*wide, p);
  narrow->sample(Split::train, 4, a.batch);
  wide->sample(Split::train, 4, b.batch);
  CHECK(a.labels == b.labels);
  CHECK(a.right_key == b.right_key);
}
