// A warmed-up training step with logging makes no heap allocation. Counts malloc itself, so that
// operator new, BLAS and the C library are all seen.
#include <atomic>
#include <cstddef>
#include <cstdlib>

#include "catch.hpp"
#include "rootdk/training/training_cell.hpp"

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* pointer, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* pointer, std::size_t size) {
  ++allocations;
  return __libc_realloc(pointer, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  ++allocations;
  return __libc_memalign(alignment, size);
}
}

using namespace rootdk;

TEST_CASE("the counter of allocations sees new, malloc and aligned memory", "[alloc][teeth]") {
  const long before = allocations;
  void* const memory = ::operator new(1000);  // called by name: a vector's a compiler may leave out
  CHECK(allocations > before);
  ::operator delete(memory);
  const long between = allocations;
  Arena arena;
  arena.allocate(1000);
  CHECK(allocations > between);
}

TEMPLATE_TEST_CASE("a training step with logging allocates nothing", "[alloc]", float, double) {
  CellConfig config;
  config.task = GENERATE(as<std::string>{}, "lookup", "associative_recall", "successor");
  config.optimizer = GENERATE(as<std::string>{}, "sgd", "adam");
  config.d_k = GENERATE(4, 256);
  config.gemm = GENERATE(GemmBackend::tile, GemmBackend::cblas, GemmBackend::reference);
  config.task_parameters = {.n_tokens = 15, .slot_dim = 8, .n_classes = 16, .batch_size = 4};
  config.optimizer_config.lr = 1e-3;
  config.steps = 20;
  config.log_every = 1;  // every step is logged
  config.signal_batches = GENERATE(0, 3);
  config.attention = GENERATE(AttentionKind::materialised, AttentionKind::streaming);
  config.evaluate_every = 4;
  config.evaluation_sequences = 8;
  TrainingCell<TestType> cell(config);
  cell.step();  // warms up the library's own buffers
  cell.step();
  const long before = allocations;
  for (int step = 2; step <= 20; ++step) cell.step();
  CHECK(allocations == before);
  CHECK(cell.done());
  CHECK(cell.steps().size() == 21);
}

TEMPLATE_TEST_CASE("streaming attention allocates nothing", "[alloc]", float, double) {
  const auto backend = GENERATE(GemmBackend::tile, GemmBackend::cblas, GemmBackend::reference);
  Tape<TestType> tape;
  const auto q = tape.variable(Shape{2, 300, 4}), k = tape.variable(Shape{2, 300, 4});
  const View<std::int32_t> lengths = tape.template data<std::int32_t>(Shape{2});
  lengths.data[0] = 290;
  lengths.data[1] = 100;
  const Mask mask{.causal = true, .lengths = lengths};
  const auto o =
      attention(q, k, k, {.mask = mask, .gemm = backend, .kind = AttentionKind::streaming}).output;
  const std::vector<TestType> cotangent(static_cast<std::size_t>(o.shape().size()), TestType(1));
  const auto step = [&] {
    tape.replay();
    tape.backward(o, View<const TestType>(cotangent.data(), o.shape()));
  };
  step();  // warms up the library's own buffers
  const long before = allocations;
  step();
  CHECK(allocations == before);
}
