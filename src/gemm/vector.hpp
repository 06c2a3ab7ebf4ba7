#pragma once
// Vectors of `lanes` elements, with arithmetic lane by lane. The compiler spreads them over as many
// registers as the processor needs: what is computed is the same everywhere.
#include <cstddef>
#include <cstring>

#include "rootdk/autodiff/shape.hpp"

namespace rootdk {

template <class T, Index lanes>
struct VectorOf {
  using type [[gnu::vector_size(static_cast<std::size_t>(lanes) * sizeof(T))]] = T;
};
template <class T, Index lanes>
using Vector = typename VectorOf<T, lanes>::type;

// Loads and stores at any alignment.
template <class V, class T>
V load(const T* from) {
  V value;
  std::memcpy(&value, from, sizeof(V));
  return value;
}
template <class V, class T>
void store(T* to, const V& value) {
  std::memcpy(to, &value, sizeof(V));
}

}  // namespace rootdk
