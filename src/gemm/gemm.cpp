#include "rootdk/gemm/gemm.hpp"

#include <array>
#include <stdexcept>
#include <string>

#include "backends.hpp"
#include "rootdk/gemm/recording.hpp"

namespace rootdk {
namespace {

constexpr std::array<Named<GemmBackend>, 3> backends{{{GemmBackend::tile, "tile"},
                                                      {GemmBackend::cblas, "cblas"},
                                                      {GemmBackend::reference, "reference"}}};

// How BLAS reads a view: stored rows `leading` apart, holding the matrix or its transpose.
struct Stored {
  bool transposed;
  Index leading;
};

template <class T>
Stored stored(const View<T>& view, std::string_view operand) {
  // A single row or column may have any step; BLAS still wants a leading dimension that spans it.
  const Index rows = view.shape[-2], columns = view.shape[-1];
  if (view.has_contiguous_rows() && (rows == 1 || view.step(-2) >= columns)) {
    return {false, rows == 1 ? columns : view.step(-2)};
  }
  if ((rows == 1 || view.step(-2) == 1) && (columns == 1 || view.step(-1) >= rows)) {
    return {true, columns == 1 ? rows : view.step(-1)};
  }
  throw std::invalid_argument("gemm: neither the rows nor the columns of " + std::string(operand) +
                              " " + to_string(view.shape) + " lie contiguously");
}

// Elements from one matrix of a stack to the next along its two leading axes; an operand of rank 2 is
// the same for all.
struct Pitch {
  Index outer = 0, inner = 0;
  template <class T>
  explicit Pitch(const View<T>& stack)
      : outer(stack.rank() == 4 ? stack.step(0) : 0),
        inner(stack.rank() > 2 ? stack.step(-3) : 0) {}
  Index offset(Index o, Index i) const { return o * outer + i * inner; }
};

template <class T>
bool fits(const View<const T>& a, const View<const T>& b, const View<T>& c) {
  if (a.rank() < 2 || b.rank() < 2 || c.rank() < 2 || a.shape[-1] != b.shape[-2] ||
      c.shape[-2] != a.shape[-2] || c.shape[-1] != b.shape[-1]) {
    return false;
  }
  const Shape& stack = a.rank() >= b.rank() ? a.shape : b.shape;
  const auto leads = [&](const Shape& shape) {
    return shape.rank() == 2 || same_stack(shape, stack);
  };
  return leads(a.shape) && leads(b.shape) && leads(c.shape);
}

}  // namespace

std::span<const Named<GemmBackend>> gemm_table() { return backends; }
std::string_view to_string(GemmBackend backend) { return name_in(gemm_table(), backend); }
GemmBackend gemm_backend(std::string_view word) { return value_in(gemm_table(), "gemm", word); }

template <class T>
void gemm(GemmBackend backend, const Gemm<T>& call) {
  GemmRecording<T>::note(backend, call);
  switch (backend) {
    case GemmBackend::tile: return gemm_tile(call);
    case GemmBackend::cblas: return gemm_cblas(call);
    case GemmBackend::reference: return gemm_reference(call);
  }
}

template <class T>
void gemm(GemmBackend backend, T alpha, View<const T> a, View<const T> b, T beta, View<T> c) {
  if (!fits(a, b, c)) {
    throw std::invalid_argument("gemm: " + to_string(a.shape) + " times " + to_string(b.shape) +
                                " does not give " + to_string(c.shape));
  }
  const Stored result = stored(c, "the result");
  if (result.transposed) {  // C^T = B^T A^T, and C^T has contiguous rows
    gemm<T>(backend, alpha, b.transposed(), a.transposed(), beta, c.transposed());
    return;
  }
  const Stored left = stored(a, "the left operand");
  const Stored right = stored(b, "the right operand");
  Gemm<T> call{left.transposed, right.transposed, c.shape[-2], c.shape[-1],   a.shape[-1], alpha,
               a.data,          left.leading,     b.data,      right.leading, beta,        c.data,
               result.leading};
  const Shape& stack = a.rank() >= b.rank() ? a.shape : b.shape;
  const Index outer = stack.rank() == 4 ? stack[0] : 1, inner = stack.rank() > 2 ? stack[-3] : 1;
  const Pitch of_a(a), of_b(b), of_c(c);
  for (Index o = 0; o < outer; ++o) {
    for (Index i = 0; i < inner; ++i) {
      call.a = a.data + of_a.offset(o, i);
      call.b = b.data + of_b.offset(o, i);
      call.c = c.data + of_c.offset(o, i);
      gemm(backend, call);
      if (c.rank() == 2) call.beta = 1;  // a stack into one matrix: the sum of its products
    }
  }
}

template void gemm(GemmBackend, const Gemm<float>&);
template void gemm(GemmBackend, const Gemm<double>&);
template void gemm(GemmBackend, float, View<const float>, View<const float>, float, View<float>);
template void gemm(GemmBackend, double, View<const double>, View<const double>, double,
                   View<double>);

}  // namespace rootdk
