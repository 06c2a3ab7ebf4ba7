#pragma once
// Vectors of `lanes` elements, with arithmetic lane by lane. None should be longer than a register: the
// compiler would compute it entry by entry, through memory.
#include <cstddef>
#include <cstring>

#include "rootdk/autodiff/shape.hpp"

namespace rootdk {

#if defined(__AVX512F__)
inline constexpr Index register_bytes = 64;
#elif defined(__AVX__)
inline constexpr Index register_bytes = 32;
#else
inline constexpr Index register_bytes = 16;
#endif
template <class T>
inline constexpr Index register_lanes = register_bytes / static_cast<Index>(sizeof(T));

template <class T, Index lanes>
struct VectorOf {
  using type [[gnu::vector_size(static_cast<std::size_t>(lanes) * sizeof(T))]] = T;
};
template <class T, Index lanes>
using Vector = typename VectorOf<T, lanes>::type;
template <class T>
using Register = Vector<T, register_lanes<T>>;

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
