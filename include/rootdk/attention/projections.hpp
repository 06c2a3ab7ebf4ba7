#pragma once
#include <array>
#include <cstdint>

#include "rootdk/autodiff/parameter.hpp"

namespace rootdk {

// The three trained matrices: Q = X W_Q, K = X W_K, V = X W_V.
//   w_q, w_k (d_model, d_k);  w_v (d_model, d_v)
// Entries start as independent N(0, 1/d_model): with inputs of unit variance so are q and k, and a raw
// score has variance d_k. They are a function of (seed, matrix, its shape) alone, so that runs which
// differ in scale or learning rate start from the same weights.
template <class T>
struct Projections {
  Projections(Index d_model, Index d_k, Index d_v, std::uint64_t seed);

  Parameter<T> w_q, w_k, w_v;
  std::array<Parameter<T>*, 3> all() { return {&w_q, &w_k, &w_v}; }
};

extern template struct Projections<float>;
extern template struct Projections<double>;

}  // namespace rootdk
