// The only file that includes <cblas.h>: xtensor-blas brings enums of the same names.
#include <cblas.h>
#include <limits>
#include <stdexcept>
#include <string>

#include "backends.hpp"

namespace rootdk {
namespace {

// One thread for each call: more would change the order of sums with the load of the machine, and
// allocate. Cells of a sweep are what runs in parallel.
[[maybe_unused]] const bool single_threaded = [] {
  openblas_set_num_threads(1);
  return true;
}();

blasint narrow(Index extent) {
  if (extent > std::numeric_limits<blasint>::max()) {
    throw std::invalid_argument("gemm: extent " + std::to_string(extent) +
                                " is too large for BLAS");
  }
  return static_cast<blasint>(extent);
}

CBLAS_TRANSPOSE flag(bool transpose) { return transpose ? CblasTrans : CblasNoTrans; }

}  // namespace

void gemm_cblas(const Gemm<float>& call) {
  cblas_sgemm(CblasRowMajor, flag(call.transpose_a), flag(call.transpose_b), narrow(call.m),
              narrow(call.n), narrow(call.k), call.alpha, call.a, narrow(call.lda), call.b,
              narrow(call.ldb), call.beta, call.c, narrow(call.ldc));
}

void gemm_cblas(const Gemm<double>& call) {
  cblas_dgemm(CblasRowMajor, flag(call.transpose_a), flag(call.transpose_b), narrow(call.m),
              narrow(call.n), narrow(call.k), call.alpha, call.a, narrow(call.lda), call.b,
              narrow(call.ldb), call.beta, call.c, narrow(call.ldc));
}

std::string_view blas_description() {
  static const std::string text = [] {
    const int threads = openblas_get_num_threads();
    return std::string(openblas_get_config()) + ", kernel " + openblas_get_corename() + ", " +
           std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  }();
  return text;
}

}  // namespace rootdk
