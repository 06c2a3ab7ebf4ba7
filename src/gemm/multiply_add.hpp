#pragma once
// sum + left * right, in one rounding where the processor offers that, else in two. The instructions are
// named: the build forbids the compiler to fuse, since it might for some entries of a product and not for
// others.
#ifdef __FMA__
#include <immintrin.h>
#endif

#include "vector.hpp"

namespace rootdk {

template <class T, class V>
[[gnu::always_inline]] inline void multiply_add(V& sum, T left, const V& right) {
  sum += left * right;
}

#ifdef __AVX512F__
[[gnu::always_inline]] inline void multiply_add(Vector<float, 16>& sum, float left,
                                                const Vector<float, 16>& right) {
  sum = _mm512_fmadd_ps(_mm512_set1_ps(left), right, sum);
}
[[gnu::always_inline]] inline void multiply_add(Vector<double, 8>& sum, double left,
                                                const Vector<double, 8>& right) {
  sum = _mm512_fmadd_pd(_mm512_set1_pd(left), right, sum);
}
#endif
#ifdef __FMA__
[[gnu::always_inline]] inline void multiply_add(Vector<float, 8>& sum, float left,
                                                const Vector<float, 8>& right) {
  sum = _mm256_fmadd_ps(_mm256_set1_ps(left), right, sum);
}
[[gnu::always_inline]] inline void multiply_add(Vector<double, 4>& sum, double left,
                                                const Vector<double, 4>& right) {
  sum = _mm256_fmadd_pd(_mm256_set1_pd(left), right, sum);
}
[[gnu::always_inline]] inline void multiply_add(Vector<float, 4>& sum, float left,
                                                const Vector<float, 4>& right) {
  sum = _mm_fmadd_ps(_mm_set1_ps(left), right, sum);
}
[[gnu::always_inline]] inline void multiply_add(Vector<double, 2>& sum, double left,
                                                const Vector<double, 2>& right) {
  sum = _mm_fmadd_pd(_mm_set1_pd(left), right, sum);
}
#endif

}  // namespace rootdk
