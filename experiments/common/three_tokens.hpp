#pragma once
// The example of a course on attention, small enough for paper: n = 3, d_k = d_v = 2, Q = K.
#include "common/matrix.hpp"

namespace rootdk::course {

inline const Matrix tokens{3, 2, {1, 0, 0, 1, 1, 1}};  // Q and K
inline const Matrix values{3, 2, {10, 0, 0, 10, 5, 5}};

// The weights as the course prints them, to two decimals.
inline const Matrix printed_weights{3, 3, {0.38, 0.19, 0.42, 0.19, 0.38, 0.42, 0.26, 0.26, 0.48}};
inline constexpr double rounding = 0.005;

}  // namespace rootdk::course
