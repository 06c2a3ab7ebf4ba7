#pragma once
#include <span>
#include <vector>

#include "rootdk/gemm/gemm.hpp"

namespace rootdk {

// The norms |y_i W| of the rows of a product that nobody else needs, Y (N, m) times W (m, d_k), in one of
// two ways, whichever multiplies less:
//   product         Y W, some rows at a time: N m d_k
//   quadratic form  |y W|^2 = y G y^T with G = W W^T (m, m): at most m^2 d_k for G, and N m^2
// The quadratic form is computed in double from rows of float, where each multiplication counts twice. It
// is then no less exact: rounding moves y G y^T by some 2^-53 |y|^2 |W|^2, so its root by 2^-26.5 |y| |W|
// at most, and it moves a product in float by some 2^-24 |y| |W|. Rows of double are always multiplied
// out. A row of zeros has the norm 0 either way.
template <class T>
class ProjectedNorms {
 public:
  // Takes all memory.
  ProjectedNorms(GemmBackend gemm, Index N, Index m, Index d_k);
  // norms[i] = |y_i W|, for N rows of Y next to each other.
  void compute(View<const T> Y, View<const T> W, std::span<double> norms);

  std::size_t bytes() const {
    return product_.size() * sizeof(T) +
           (W_.size() + G_.size() + Y_.size() + YG_.size()) * sizeof(double);
  }

  static bool is_quadratic(Index N, Index m, Index d_k);
  // Elements of type T that an object holds, for the estimate of a run's memory.
  static double elements(Index N, Index m, Index d_k);

 private:
  void multiply_out(View<const T> Y, View<const T> W, std::span<double> norms);
  void form_gram(View<const T> W);
  void form(View<const T> Y, std::span<double> norms);

  GemmBackend gemm_;
  bool quadratic_;
  std::vector<T> product_;
  std::vector<double> W_, G_, Y_, YG_;
};

extern template class ProjectedNorms<float>;
extern template class ProjectedNorms<double>;

}  // namespace rootdk
