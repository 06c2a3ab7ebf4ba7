#include "rootdk/gemm/recording.hpp"

#include <thread>

#include "catch.hpp"

using namespace rootdk;

namespace {

// C = A B for small matrices of its own; `id` tells products apart by their inner extent.
template <class T>
struct Product {
  std::vector<T> a, b, c;
  Gemm<T> call;
  explicit Product(Index id) : a(static_cast<std::size_t>(2 * id), T(1)), b(a), c(4) {
    call = {.m = 2,
            .n = 2,
            .k = id,
            .a = a.data(),
            .lda = id,
            .b = b.data(),
            .ldb = 2,
            .c = c.data(),
            .ldc = 2};
  }
  void run(GemmBackend backend = GemmBackend::cblas) const { gemm(backend, call); }
};

std::vector<Index> ids(const std::vector<GemmCall<float>>& calls) {
  std::vector<Index> found;
  for (const auto& call : calls) found.push_back(call.product.k);
  return found;
}

}  // namespace

TEST_CASE("gemm recording: notes the products of its lifetime, in order, with their backend",
          "[gemm]") {
  const Product<float> before(1), one(2), two(3), after(4);
  const Product<double> other_precision(5);
  std::vector<GemmCall<float>> calls;
  before.run();
  {
    const GemmRecording recording(calls);
    one.run();
    other_precision.run();
    two.run(GemmBackend::reference);
    std::thread([&] { before.run(); }).join();  // another thread's products are not of this work
  }
  after.run();
  REQUIRE(ids(calls) == std::vector<Index>{2, 3});
  CHECK(calls[0].backend == GemmBackend::cblas);
  CHECK(calls[1].backend == GemmBackend::reference);
  CHECK(calls[1].product.c == two.c.data());
}

TEST_CASE("gemm recording: a product of views is noted once, whichever way it is turned",
          "[gemm]") {
  std::vector<float> a(6, 1), b(6, 1), c(4);
  const View<const float> left(a.data(), Shape{2, 3}), right(b.data(), Shape{3, 2});
  const View<float> result(c.data(), Shape{2, 2});
  std::vector<GemmCall<float>> calls;
  const GemmRecording recording(calls);
  gemm<float>(GemmBackend::cblas, 1, left, right, 0, result);
  gemm<float>(GemmBackend::cblas, 1, left, right, 0, result.transposed());
  CHECK(calls.size() == 2);
}

TEST_CASE("gemm recording: an inner one takes the place of the outer until it ends", "[gemm]") {
  const Product<float> one(1), two(2), three(3);
  std::vector<GemmCall<float>> outer_calls, inner_calls;
  const GemmRecording outer(outer_calls);
  one.run();
  {
    const GemmRecording inner(inner_calls);
    two.run();
  }
  three.run();
  CHECK(ids(outer_calls) == std::vector<Index>{1, 3});
  CHECK(ids(inner_calls) == std::vector<Index>{2});
}

TEST_CASE("gemm recording: run_again() computes the same again", "[gemm]") {
  Product<float> product(7);
  std::vector<GemmCall<float>> calls;
  {
    const GemmRecording recording(calls);
    product.run();
  }
  product.c.assign(4, -1);
  run_again(calls);
  CHECK(product.c == std::vector<float>(4, 7));
}
