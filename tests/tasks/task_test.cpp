#include "rootdk/tasks/task.hpp"

#include <algorithm>
#include <set>

#include "catch.hpp"
#include "rootdk/tasks/checks.hpp"
#include "tasks/batch_memory.hpp"

using namespace rootdk;

namespace {

TaskParameters small(std::string_view name) {
  TaskParameters p;
  p.n_tokens = 6;
  p.slot_dim = 5;
  p.n_classes = name == "lookup" ? 3 : 8;
  p.n_keys = 9;
  p.n_queries = 2;
  p.batch_size = 4;
  p.seed = 42;
  return p;
}

std::string error_of(std::string_view task, const TaskParameters& parameters,
                     std::string_view key) {
  try {
    find_task(task).info(parameters);
  } catch (const TaskError& error) {
    CHECK(error.key == key);
    return error.what();
  }
  return "no error";
}

}  // namespace

// What every row of the table promises, whatever the task.
TEST_CASE("every task is found by its name and describes itself") {
  std::set<std::string_view> names;
  for (const TaskRow& row : task_table()) {
    CAPTURE(row.name);
    names.insert(row.name);
    CHECK(&find_task(row.name) == &row);
    CHECK_FALSE(row.summary.empty());
    const TaskInfo info = row.info(small(row.name));
    CHECK(make_task<float>(row.name, small(row.name))->info().d_model == info.d_model);
    CHECK(make_task<double>(row.name, small(row.name))->info().d_model == info.d_model);
    CHECK(info.chance > 0);
    CHECK(info.chance <= 0.5);
    CHECK_NOTHROW(row.info(TaskParameters{.n_tokens = 6, .n_classes = 8}));
  }
  CHECK(names.size() == task_table().size());
  CHECK(names.count("lookup") == 1);
  CHECK(names.count("associative_recall") == 1);
  CHECK(names.count("successor") == 1);
}

TEST_CASE("an unknown task is refused with the list of those there are") {
  CHECK_THROWS_AS(find_task("lookups"), TaskError);
  CHECK_THROWS_WITH(find_task("lookups"), ROOTDK_CONTAINS("unknown task 'lookups'") &&
                                              ROOTDK_CONTAINS("lookup, associative_recall"));
  CHECK_THROWS_AS(make_task<double>("", {}), TaskError);
}

TEST_CASE("a sample is a pure function of parameters and split and step") {
  for (const TaskRow& row : task_table()) {
    CAPTURE(row.name);
    const TaskParameters p = small(row.name);
    const auto task = make_task<double>(row.name, p);
    const auto again = make_task<double>(row.name, p);
    BatchMemory<double> first(*task, p), second(*task, p);
    task->sample(Split::train, 7, first.batch);

    again->sample(Split::evaluation, 3, second.batch);  // other draws come first
    again->sample(Split::train, 8, second.batch);
    again->sample(Split::train, 7, second.batch);
    CHECK(first == second);

    const auto differs = [&](Split split, std::uint64_t step) {
      again->sample(split, step, second.batch);
      return !(first == second) && first.tokens != second.tokens;
    };
    CHECK(differs(Split::train, 8));
    CHECK(differs(Split::evaluation, 7));
    CHECK(differs(Split::probe, 7));
    CHECK(differs(Split::train, 7 + (std::uint64_t{1} << 40)));
  }
}

TEST_CASE("the seed decides tables and draws with all its bits") {
  for (const TaskRow& row : task_table()) {
    CAPTURE(row.name);
    const TaskParameters p = small(row.name);
    TaskParameters high = p;
    high.seed += std::uint64_t{1} << 63;
    const auto task = make_task<double>(row.name, p);
    const auto other = make_task<double>(row.name, high);
    BatchMemory<double> a(*task, p), b(*task, p);
    task->sample(Split::train, 0, a.batch);
    other->sample(Split::train, 0, b.batch);
    CHECK(a.tokens != b.tokens);
    CHECK(a.right_key != b.right_key);
  }
}

TEST_CASE("a larger batch begins with the sequences of a smaller one") {
  for (const TaskRow& row : task_table()) {
    CAPTURE(row.name);
    const TaskParameters p = small(row.name);
    TaskParameters larger = p;
    larger.batch_size = 11;
    const auto task = make_task<double>(row.name, p);
    const auto other = make_task<double>(row.name, larger);
    BatchMemory<double> a(*task, p), b(*task, larger), c(*task, larger);
    task->sample(Split::train, 5, a.batch);
    other->sample(Split::train, 5, b.batch);
    CHECK(std::equal(a.tokens.begin(), a.tokens.end(), b.tokens.begin()));
    CHECK(std::equal(a.queries.begin(), a.queries.end(), b.queries.begin()));
    CHECK(std::equal(a.labels.begin(), a.labels.end(), b.labels.begin()));
    task->sample(Split::train, 5, c.batch);  // the views decide, not the parameter
    CHECK(b == c);
  }
}

TEST_CASE("float tasks see the rounded numbers of double tasks") {
  for (const TaskRow& row : task_table()) {
    CAPTURE(row.name);
    const TaskParameters p = small(row.name);
    const auto wide = make_task<double>(row.name, p);
    const auto narrow = make_task<float>(row.name, p);
    BatchMemory<double> a(*wide, p);
    BatchMemory<float> b(*narrow, p);
    wide->sample(Split::train, 2, a.batch);
    narrow->sample(Split::train, 2, b.batch);
    const auto rounded = [](double x) { return static_cast<float>(x); };
    std::vector<float> expected(a.tokens.size());
    std::transform(a.tokens.begin(), a.tokens.end(), expected.begin(), rounded);
    CHECK(b.tokens == expected);
    expected.resize(a.queries.size());
    std::transform(a.queries.begin(), a.queries.end(), expected.begin(), rounded);
    CHECK(b.queries == expected);
    CHECK(a.labels == b.labels);
    CHECK(a.right_key == b.right_key);
  }
}

TEST_CASE("a batch may be a window on larger memory") {
  for (const TaskRow& row : task_table()) {
    CAPTURE(row.name);
    const TaskParameters p = small(row.name);
    const auto task = make_task<double>(row.name, p);
    BatchMemory<double> plain(*task, p);
    task->sample(Split::train, 1, plain.batch);

    const Index n = p.n_tokens, m = task->info().d_model;
    BatchMemory<double> other(*task, p);
    std::vector<double> wide(static_cast<std::size_t>(p.batch_size * (n + 2) * (m + 3)), -99.0);
    Batch<double> window = other.batch;
    window.tokens =
        View<double>(wide.data(), {p.batch_size, n + 2, m + 3}).slice(1, 1, n).slice(2, 2, m);
    task->sample(Split::train, 1, window);
    for (Index b = 0; b < p.batch_size; ++b) {
      for (Index i = 0; i < n; ++i) {
        for (Index c = 0; c < m; ++c) {
          REQUIRE(window.tokens(b, i, c) == plain.batch.tokens(b, i, c));
        }
      }
    }
    const auto untouched = std::count(wide.begin(), wide.end(), -99.0);
    CHECK(untouched == static_cast<std::ptrdiff_t>(wide.size()) - p.batch_size * n * m);
  }
}

TEST_CASE("a batch of the wrong shape is refused by name") {
  for (const TaskRow& row : task_table()) {
    CAPTURE(row.name);
    const TaskParameters p = small(row.name);
    const auto task = make_task<double>(row.name, p);
    BatchMemory<double> memory(*task, p);
    Batch<double> wrong = memory.batch;
    wrong.labels = wrong.labels.slice(1, 0, 1);
    CHECK_THROWS_WITH(task->sample(Split::train, 0, wrong),
                      ROOTDK_CONTAINS("batch.labels has shape (4, 1)"));
    wrong = memory.batch;
    wrong.tokens = wrong.tokens.slice(2, 0, 2);
    CHECK_THROWS_WITH(task->sample(Split::train, 0, wrong), ROOTDK_CONTAINS("batch.tokens"));
    wrong = memory.batch;
    wrong.right_key = {};
    CHECK_THROWS_WITH(task->sample(Split::train, 0, wrong), ROOTDK_CONTAINS("points nowhere"));
    CHECK_THROWS_AS(task->sample(Split::train, 0, {}), std::invalid_argument);
  }
}

TEST_CASE("parameters without a task are refused and the parameter is named") {
  for (const TaskRow& row : task_table()) {
    CAPTURE(row.name);
    TaskParameters p = small(row.name);
    p.n_tokens = 1;
    CHECK(error_of(row.name, p, "n_tokens") == "n_tokens = 1 must be between 2 and 2147483647");
    p = small(row.name);
    p.n_classes = 1;
    CHECK(error_of(row.name, p, "n_classes") == "n_classes = 1 must be between 2 and 2147483647");
    p = small(row.name);
    p.slot_dim = 0;
    CHECK(error_of(row.name, p, "slot_dim") == "slot_dim = 0 must be between 1 and 2147483647");
    p = small(row.name);
    p.n_keys = -1;
    CHECK(error_of(row.name, p, "n_keys") == "n_keys = -1 must be between 0 and 2147483647");
    p = small(row.name);
    p.n_keys = 5;
    CHECK(error_of(row.name, p, "n_keys") ==
          "n_keys = 5 must be at least n_tokens = 6: keys are drawn without replacement");
    p = small(row.name);
    p.n_queries = 0;
    CHECK(error_of(row.name, p, "n_queries") == "n_queries = 0 must be between 1 and 2147483647");
    p = small(row.name);
    p.batch_size = Index{1} << 31;
    CHECK(error_of(row.name, p, "batch_size") ==
          "batch_size = 2147483648 must be between 1 and 2147483647");
    p.batch_size = (Index{1} << 31) - 1;
    p.slot_dim = (Index{1} << 31) - 1;
    CHECK_THAT(error_of(row.name, p, "batch_size"), ROOTDK_CONTAINS("exceed the address space"));
    p = small(row.name);
    p.n_keys = (Index{1} << 31) - 2;  // a multiple of 3
    p.slot_dim = (Index{1} << 31) - 1;
    CHECK_THAT(error_of(row.name, p, "n_keys"), ROOTDK_CONTAINS("exceed the address space"));
  }
}
