#pragma once
// A number type that counts what is done to it, and plain loops over matrices of such numbers.
#include <cmath>
#include <cstdint>
#include <vector>

inline std::int64_t counted = 0;  // operations done so far

struct Number {
  double value = 0;
};
inline Number operator+(Number a, Number b) { return ++counted, Number{a.value + b.value}; }
inline Number operator-(Number a, Number b) { return ++counted, Number{a.value - b.value}; }
inline Number operator*(Number a, Number b) { return ++counted, Number{a.value * b.value}; }
inline Number operator/(Number a, Number b) { return ++counted, Number{a.value / b.value}; }
inline bool operator<(Number a, Number b) { return ++counted, a.value < b.value; }
inline Number exp(Number a) { return ++counted, Number{std::exp(a.value)}; }

struct Matrix {
  std::size_t rows, cols;
  std::vector<Number> entries = std::vector<Number>(rows * cols);
  Number& operator()(std::size_t i, std::size_t j) { return entries[i * cols + j]; }
};

// y += a b, or with a or b transposed.
inline void add_product(Matrix& y, Matrix& a, bool a_t, Matrix& b, bool b_t) {
  for (std::size_t i = 0; i < y.rows; ++i) {
    for (std::size_t j = 0; j < y.cols; ++j) {
      for (std::size_t k = 0; k < (a_t ? a.rows : a.cols); ++k) {
        y(i, j) = y(i, j) + (a_t ? a(k, i) : a(i, k)) * (b_t ? b(j, k) : b(k, j));
      }
    }
  }
}

template <class Step>
std::int64_t count_of(Step&& step) {
  const std::int64_t before = counted;
  step();
  return counted - before;
}
