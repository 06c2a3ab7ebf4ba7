#include "common/interventions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "rootdk/gemm/gemm.hpp"
#include "rootdk/random.hpp"

namespace rootdk {
namespace {

template <class T>
void exchange(Parameter<T>& a, Parameter<T>& b) {
  std::swap_ranges(a.value().data, a.value().data + a.shape.size(), b.value().data);
}

// Subtracts from row `i` of a d x d matrix its projections on the rows above, and gives it
// length 1.
void orthonormalise_row(std::vector<double>& rows, std::size_t d, std::size_t i) {
  const auto product = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t c = 0; c < d; ++c) sum += rows[a * d + c] * rows[b * d + c];
    return sum;
  };
  for (std::size_t above = 0; above < i; ++above) {
    const double overlap = product(i, above);
    for (std::size_t c = 0; c < d; ++c) rows[i * d + c] -= overlap * rows[above * d + c];
  }
  const double length = std::sqrt(product(i, i));
  for (std::size_t c = 0; c < d; ++c) rows[i * d + c] /= length;
}

// A random orthogonal matrix: rows of independent normals, orthonormalised by Gram and Schmidt.
// Each row twice: the second pass takes away what the rounding of the first left.
template <class T>
std::vector<T> random_orthogonal(Index width, std::uint64_t seed) {
  const auto d = static_cast<std::size_t>(width);
  std::vector<double> rows(d * d);
  Stream stream(StreamKey(seed, "roles/rotation", {width}));
  fill_normal(stream, std::span(rows));
  for (std::size_t i = 0; i < d; ++i) {
    orthonormalise_row(rows, d, i);
    orthonormalise_row(rows, d, i);
  }
  std::vector<T> result(d * d);
  std::transform(rows.begin(), rows.end(), result.begin(),
                 [](double x) { return static_cast<T>(x); });
  return result;
}

template <class T>
void rotate(Parameter<T>& w, const std::vector<T>& rotation) {
  const std::vector<T> before(w.value().data, w.value().data + w.shape.size());
  const Index d = w.shape[1];
  gemm<T>(GemmBackend::reference, T(1), View<const T>(before.data(), w.shape),
          View<const T>(rotation.data(), Shape{d, d}), T(0), w.value());
}

template <class T>
void keep(Projections<T>&, std::uint64_t) {}

template <class T>
void swap_q_k(Projections<T>& p, std::uint64_t) {
  exchange(p.w_q, p.w_k);
}

template <class T>
void rotate_q_k(Projections<T>& p, std::uint64_t seed) {
  const std::vector<T> rotation = random_orthogonal<T>(p.w_q.shape[1], seed);
  rotate(p.w_q, rotation);
  rotate(p.w_k, rotation);
}

template <class T>
void swap_k_v(Projections<T>& p, std::uint64_t) {
  exchange(p.w_k, p.w_v);
}

template <class T>
constexpr std::array<Intervention<T>, 6> table{{
    {"untrained", true, keep<T>},
    {"untrained_swap_q_k", true, swap_q_k<T>},
    {"none", false, keep<T>},
    {"swap_q_k", false, swap_q_k<T>},
    {"rotate_q_k", false, rotate_q_k<T>},
    {"swap_k_v", false, swap_k_v<T>},
}};

}  // namespace

template <class T>
std::span<const Intervention<T>> interventions() {
  return table<T>;
}
template std::span<const Intervention<float>> interventions();
template std::span<const Intervention<double>> interventions();

template <class T>
bool changes_weights(const Intervention<T>& intervention) {
  return intervention.apply != &keep<T>;
}
template bool changes_weights(const Intervention<float>&);
template bool changes_weights(const Intervention<double>&);

template <class T>
bool applies(const Intervention<T>& intervention, const Projections<T>& projections) {
  return intervention.apply != &swap_k_v<T> || projections.w_k.shape == projections.w_v.shape;
}
template bool applies(const Intervention<float>&, const Projections<float>&);
template bool applies(const Intervention<double>&, const Projections<double>&);

}  // namespace rootdk
