#include "rootdk/training/projected_norms.hpp"

#include <algorithm>
#include <cmath>

#include "rootdk/probes/gradient_statistics.hpp"
#include "rootdk/probes/row_sums.hpp"

namespace rootdk {
namespace {

constexpr Index rows_at_once = 64;      // of Y
constexpr Index columns_at_once = 256;  // of W
constexpr Index gram_rows = 32;         // of G

std::size_t entries(Index rows, Index columns) {
  return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
}

}  // namespace

template <class T>
bool ProjectedNorms<T>::is_quadratic(Index N, Index m, Index d_k) {
  const auto number = [](Index value) { return static_cast<double>(value); };
  return sizeof(T) < sizeof(double) &&
         2 * number(m) * (number(d_k) + number(N)) < number(N) * number(d_k);
}

template <class T>
double ProjectedNorms<T>::elements(Index N, Index m, Index d_k) {
  const auto number = [](Index value) { return static_cast<double>(value); };
  const double rows = number(std::min(rows_at_once, N));
  if (!is_quadratic(N, m, d_k)) return rows * number(d_k);
  const double columns = number(std::min(columns_at_once, d_k));
  return number(m) * (columns + number(m) + 2 * rows) * sizeof(double) / sizeof(T);
}

template <class T>
ProjectedNorms<T>::ProjectedNorms(GemmBackend gemm, Index N, Index m, Index d_k)
    : gemm_(gemm), quadratic_(is_quadratic(N, m, d_k)) {
  const Index rows = std::min(rows_at_once, N);
  if (quadratic_) {
    W_.resize(entries(m, std::min(columns_at_once, d_k)));
    G_.resize(entries(m, m));
    Y_.resize(entries(rows, m));
    YG_.resize(entries(rows, m));
  } else {
    product_.resize(entries(rows, d_k));
  }
}

template <class T>
void ProjectedNorms<T>::compute(View<const T> Y, View<const T> W, std::span<double> norms) {
  if (quadratic_) form_gram(W);
  for (Index first = 0; first < Y.shape[0]; first += rows_at_once) {
    const Index count = std::min(rows_at_once, Y.shape[0] - first);
    const View<const T> some = Y.slice(0, first, count);
    const auto their_norms =
        norms.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
    quadratic_ ? form(some, their_norms) : multiply_out(some, W, their_norms);
  }
}

// G = W W^T, the sum of the products of some columns at a time. G is symmetric: of some rows at a time,
// what stands left of the diagonal and the block on it; the rest is copied.
template <class T>
void ProjectedNorms<T>::form_gram(View<const T> W) {
  const Index m = W.shape[0], d_k = W.shape[1];
  const View<double> G(G_.data(), Shape{m, m});
  for (Index first = 0; first < d_k; first += columns_at_once) {
    const View<double> some(W_.data(), Shape{m, std::min(columns_at_once, d_k - first)});
    for (Index l = 0; l < m; ++l) std::copy_n(W.row(l) + first, some.shape[1], some.row(l));
    const View<const double> columns = some;
    for (Index top = 0; top < m; top += gram_rows) {
      const Index rows = std::min(gram_rows, m - top), end = top + rows;
      gemm<double>(gemm_, 1, columns.slice(0, top, rows), columns.slice(0, 0, end).transposed(),
                   first == 0 ? 0 : 1, G.slice(0, top, rows).slice(1, 0, end));
    }
  }
  for (Index l = 0; l < m; ++l) {
    for (Index j = 0; j < l; ++j) G.row(j)[l] = G.row(l)[j];
  }
}

template <class T>
void ProjectedNorms<T>::multiply_out(View<const T> Y, View<const T> W, std::span<double> norms) {
  const View<T> product(product_.data(), Shape{Y.shape[0], W.shape[1]});
  gemm<T>(gemm_, T(1), Y, W, T(0), product);
  const auto width = static_cast<std::size_t>(W.shape[1]);
  for (std::size_t i = 0; i < norms.size(); ++i) {
    norms[i] = probes::norm(std::span<const T>(&product_[i * width], width));
  }
}

template <class T>
void ProjectedNorms<T>::form(View<const T> Y, std::span<double> norms) {
  const Index m = Y.shape[1];
  std::copy_n(Y.data, Y.shape.size(), Y_.begin());
  gemm<double>(gemm_, 1, View<const double>(Y_.data(), Y.shape),
               View<const double>(G_.data(), Shape{m, m}), 0, View<double>(YG_.data(), Y.shape));
  for (std::size_t k = 0; k < norms.size() * static_cast<std::size_t>(m); ++k) YG_[k] *= Y_[k];
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const auto width = static_cast<std::size_t>(m);
    const double square = probes::sum(std::span<const double>(&YG_[i * width], width));
    norms[i] = std::sqrt(square < 0 ? 0 : square);  // NaN passes
  }
}

template class ProjectedNorms<float>;
template class ProjectedNorms<double>;

}  // namespace rootdk
