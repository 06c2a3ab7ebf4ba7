#pragma once
#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "rootdk/autodiff/shape.hpp"
#include "rootdk/probes/query_gradient.hpp"
#include "rootdk/random.hpp"
#include "rootdk/training/float32_row.hpp"

namespace rootdk {

// What is measured on one query's row of attention; each is a quantity of a log, summarised over
// many queries.
struct QueryMeasurement {
  double jacobian_norm = 0, jacobian_spectral = 0, jacobian_trace = 0;
  double p_max = 0, entropy = 0, effective_keys = 0, top_two_gap = 0;
  double grad_lin = 0, grad_mse = 0, grad_attn_ce = 0;  // |dL/dq|, see probes/query_gradient.hpp
  // 1 or 0: what happens when this row's softmax and its backward rule run in float.
  double weight_one = 0, winner_zero = 0, row_zero = 0;
};

enum class QuantityKind {
  magnitude,  // of something that vanishes where softmax saturates: dead shares make sense
  other,
  indicator,  // 1 or 0: its mean is a share
};
struct MeasuredQuantity {
  std::string_view name;  // as in the log
  double QueryMeasurement::*value;
  QuantityKind kind;
};
inline constexpr std::array<MeasuredQuantity, 13> measured_quantities{{
    {"softmax_jacobian_norm", &QueryMeasurement::jacobian_norm, QuantityKind::magnitude},
    {"softmax_jacobian_spectral", &QueryMeasurement::jacobian_spectral, QuantityKind::magnitude},
    {"softmax_jacobian_trace", &QueryMeasurement::jacobian_trace, QuantityKind::magnitude},
    {"p_max", &QueryMeasurement::p_max, QuantityKind::other},
    {"entropy", &QueryMeasurement::entropy, QuantityKind::other},
    {"effective_keys", &QueryMeasurement::effective_keys, QuantityKind::other},
    {"top_two_gap", &QueryMeasurement::top_two_gap, QuantityKind::other},
    {"query_grad_norm_lin", &QueryMeasurement::grad_lin, QuantityKind::magnitude},
    {"query_grad_norm_mse", &QueryMeasurement::grad_mse, QuantityKind::magnitude},
    {"query_grad_norm_attn_ce", &QueryMeasurement::grad_attn_ce, QuantityKind::magnitude},
    {"float32_weight_one", &QueryMeasurement::weight_one, QuantityKind::indicator},
    {"float32_winner_zero", &QueryMeasurement::winner_zero, QuantityKind::indicator},
    {"float32_row_zero", &QueryMeasurement::row_zero, QuantityKind::indicator},
}};

// Queries before any training: each has a q and n keys of its own from N(0, I), d_k wide, drawn
// entry by entry, and scores z_j = s q . k_j. Query i is a pure function of (seed, n, d_k, i), so
// that scales are compared on the same draws. T is the precision of q, keys and scores; what is
// computed from the scores is double, but for the float32_ quantities. Allocates at construction
// only.
template <class T>
class InitialQueries {
 public:
  // n_tokens >= 2 keys a query, d_k >= 1.
  InitialQueries(Index n_tokens, Index d_k, std::uint64_t seed);

  void draw(std::uint64_t query);
  // Of the query drawn last, at this scale s.
  QueryMeasurement measure(double scale);

  // The scaled scores of the last measure().
  std::span<const double> scores() const { return z_; }
  // Their softmax, the largest weight first.
  std::span<const double> sorted_weights();
  // Mean of z, z^2, z^3, z^4 over the keys of the last measure().
  std::array<double, 4> score_moments() const;

 private:
  StreamKey key_;
  std::vector<T> q_, keys_, raw_;  // d_k, n x d_k, n
  std::size_t target_ = 0;         // tau of the probe losses
  std::vector<float> cotangent_;   // dL/dp of the float row, N(0, I)
  std::vector<double> z_, scratch_;
  probes::QueryGradient gradient_;
  Float32Row float32_;
};

extern template class InitialQueries<float>;
extern template class InitialQueries<double>;

}  // namespace rootdk
