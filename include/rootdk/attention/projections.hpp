#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "rootdk/autodiff/parameter.hpp"
#include "rootdk/named.hpp"

namespace rootdk {

// How a model uses its matrices: each its own; W_Q for keys too, one parameter used twice; or none
// at all, Q = K = V = X.
enum class ProjectionKind { untied, tied, none };

// The names in configs and CSVs, that of a value, and the value of a name, which throws
// std::invalid_argument that lists the names.
std::span<const Named<ProjectionKind>> projection_kind_table();
std::string_view to_string(ProjectionKind kind);
ProjectionKind projection_kind(std::string_view word);

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

// Those that a model of this kind trains: all three; without w_k, which it leaves as it is; none.
template <class T>
std::vector<Parameter<T>*> trained(Projections<T>& projections, ProjectionKind kind);

extern template struct Projections<float>;
extern template struct Projections<double>;

}  // namespace rootdk
