#pragma once
// Statistics of the softmax of sampled queries, in forms that do not cancel.
#include "claims/gaussian_queries.hpp"
#include "rootdk/probes/concentration.hpp"
#include "rootdk/probes/softmax_jacobian.hpp"

namespace rootdk::claims {

// One number a query: of(tail, scores, sigma).
template <class Of>
std::vector<double> over_queries(const Budget& budget, std::string_view purpose,
                                 const QuerySetting& setting, Of&& of) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(budget.n_queries));
  for_each_query(budget, purpose, setting,
                 [&](std::span<const double> scores, double sigma, Stream&) {
                   values.push_back(of(probes::softmax_tail(scores), scores, sigma));
                 });
  return values;
}

// 1 - p_max = S / T with S the sum over the losers.
inline double one_less_p_max(const probes::SoftmaxTail& tail) {
  return tail.e_2 * tail.F_1 / tail.T();
}

// Share of values below a bound.
inline Estimate share_below(std::span<const double> values, double bound) {
  std::int64_t count = 0;
  for (const double x : values) count += x < bound ? 1 : 0;
  return share_of(count, static_cast<std::int64_t>(values.size()));
}

}  // namespace rootdk::claims
