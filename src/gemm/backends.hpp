#pragma once
// The backends behind the one gemm signature; gemm.cpp chooses.
#include "rootdk/gemm/gemm.hpp"

namespace rootdk {

void gemm_cblas(const Gemm<float>& call);
void gemm_cblas(const Gemm<double>& call);

template <class T>
void gemm_reference(const Gemm<T>& call);

template <class T>
void gemm_tile(const Gemm<T>& call);

}  // namespace rootdk
