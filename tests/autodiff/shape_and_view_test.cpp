#include <vector>

#include "catch.hpp"
#include "rootdk/autodiff/arena.hpp"
#include "rootdk/autodiff/view.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

TEST_CASE("shape: rows, columns and matrices of every rank", "[shape]") {
  CHECK(Shape{}.size() == 1);
  CHECK(Shape{}.cols() == 1);
  CHECK(Shape{2, 3, 4, 5}.size() == 120);
  CHECK(Shape{2, 3, 4, 5}.rows() == 24);
  CHECK(Shape{2, 3, 4, 5}.matrices() == 6);
  CHECK(Shape{4, 5}.matrices() == 1);
  CHECK(Shape{2, 3}[-1] == 3);
  CHECK(Shape{2, 3}.with(-2, 7) == Shape{7, 3});
  CHECK_FALSE(Shape{2, 3} == Shape{2, 3, 1});
  CHECK(to_string(Shape{8, 64, 96}) == "(8, 64, 96)");
  CHECK(to_string(Shape{}) == "()");
}

TEST_CASE("shape: refuses five axes and empty extents", "[shape]") {
  CHECK_THROWS_WITH((Shape{1, 2, 3, 4, 5}), ROOTDK_CONTAINS("at most 4"));
  CHECK_THROWS_WITH((Shape{2, 0}), ROOTDK_CONTAINS("at least 1, not 0"));
  CHECK_THROWS_WITH((Shape{-1}), ROOTDK_CONTAINS("-1"));
  const Index huge = Index{1} << 40;
  CHECK_THROWS_WITH((Shape{huge, huge}), ROOTDK_CONTAINS("more elements than can be counted"));
  CHECK_THROWS_WITH((Shape{huge, 2}.with(1, huge)), ROOTDK_CONTAINS("more elements"));
}

TEST_CASE("view: transposing twice is the identity, and slices step over the rest", "[view]") {
  std::vector<int> numbers{0, 1, 2, 3, 4, 5};
  const View<int> x(numbers.data(), Shape{2, 3});
  CHECK(values(x.transposed()) == std::vector<int>{0, 3, 1, 4, 2, 5});
  CHECK(values(x.transposed().transposed()) == numbers);
  CHECK(values(x.slice(1, 1, 2)) == std::vector<int>{1, 2, 4, 5});
  CHECK(x.is_contiguous());
  CHECK_FALSE(x.slice(1, 1, 2).is_contiguous());
  CHECK(x.slice(1, 1, 2).has_contiguous_rows());
  CHECK_FALSE(x.transposed().has_contiguous_rows());
  CHECK(x.slice(1, 2, 1).has_contiguous_rows());  // rows of one entry have no gaps
}

TEST_CASE("view: matrices and rows of a stack, strided or not", "[view]") {
  std::vector<int> numbers(24);
  for (int i = 0; i < 24; ++i) numbers[static_cast<std::size_t>(i)] = i;
  const View<int> x(numbers.data(), Shape{2, 3, 4});
  CHECK(values(x.matrix(1).slice(0, 0, 1)) == std::vector<int>{12, 13, 14, 15});
  CHECK(*x.row(4) == 16);
  CHECK(x(1, 2, 3) == 23);
  const View<int> middle = x.slice(1, 1, 1);  // (2, 1, 4)
  CHECK(*middle.row(1) == 16);
  CHECK(values(middle) == std::vector<int>{4, 5, 6, 7, 16, 17, 18, 19});
}

TEST_CASE("arena: memory is aligned, stable and becomes one block after a rewind", "[arena]") {
  Arena arena;
  std::vector<std::byte*> first;
  for (int i = 0; i < 20; ++i) first.push_back(arena.allocate(100000));
  for (std::byte* address : first) {
    CHECK(reinterpret_cast<std::uintptr_t>(address) % Arena::alignment == 0);
  }
  const std::size_t capacity = arena.capacity();
  arena.rewind();
  CHECK(arena.used() == 0);
  std::byte* previous = nullptr;
  for (int i = 0; i < 20; ++i) {
    std::byte* address = arena.allocate(100000);
    if (previous != nullptr) CHECK(address - previous == 100032);  // padded, one after the other
    previous = address;
  }
  CHECK(arena.capacity() == capacity);
}
