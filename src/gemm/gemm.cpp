#include "rootdk/gemm/gemm.hpp"

#include <array>
#include <stdexcept>
#include <string>

#include "backends.hpp"
#include "rootdk/gemm/recording.hpp"

namespace rootdk {
namespace {

constexpr std::array<GemmRow, 3> backends{{{GemmBackend::tile, "tile"},
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
  if (view.has_contiguous_rows() && (view.shape[0] == 1 || view.step(0) >= view.shape[1])) {
    return {false, view.shape[0] == 1 ? view.shape[1] : view.step(0)};
  }
  if ((view.shape[0] == 1 || view.step(0) == 1) &&
      (view.shape[1] == 1 || view.step(1) >= view.shape[0])) {
    return {true, view.shape[1] == 1 ? view.shape[0] : view.step(1)};
  }
  throw std::invalid_argument("gemm: neither the rows nor the columns of " + std::string(operand) +
                              " " + to_string(view.shape) + " lie contiguously");
}

}  // namespace

std::span<const GemmRow> gemm_table() { return backends; }

std::string_view to_string(GemmBackend backend) {
  for (const auto& [value, word] : backends) {
    if (value == backend) return word;
  }
  throw std::logic_error("a gemm backend without a row in the table");
}

GemmBackend gemm_backend(std::string_view word) {
  std::string known;
  for (const auto& [value, name] : backends) {
    if (name == word) return value;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  throw std::invalid_argument("unknown gemm '" + std::string(word) + "', known: " + known);
}

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
  if (a.rank() != 2 || b.rank() != 2 || c.rank() != 2 || a.shape[1] != b.shape[0] ||
      c.shape[0] != a.shape[0] || c.shape[1] != b.shape[1]) {
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
  gemm(backend,
       Gemm<T>{left.transposed, right.transposed, c.shape[0], c.shape[1], a.shape[1], alpha, a.data,
               left.leading, b.data, right.leading, beta, c.data, result.leading});
}

template void gemm(GemmBackend, const Gemm<float>&);
template void gemm(GemmBackend, const Gemm<double>&);
template void gemm(GemmBackend, float, View<const float>, View<const float>, float, View<float>);
template void gemm(GemmBackend, double, View<const double>, View<const double>, double,
                   View<double>);

}  // namespace rootdk
