#pragma once
// Queries against random keys, without the keys. With q and k_1 ... k_n of independent N(0, 1)
// entries the scores s q.k_j are, given q, independent N(0, sigma^2) with sigma = s |q|: the sum
// over d_k products is a rotation away from |q| times one normal. So a query is sigma = s chi_{d_k}
// and n normals g_j, exactly, at a cost that does not depend on d_k.
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "claims/claim.hpp"
#include "rootdk/autodiff/shape.hpp"
#include "rootdk/random.hpp"

namespace rootdk::claims {

// Length of a vector of d independent standard normals. From three dimensions on, the square root
// of a chi-square, 2 Gamma(d / 2), by the method of Marsaglia and Tsang (ACM TOMS 26, 2000).
double sample_length(Stream& stream, Index d);

struct QuerySetting {
  Index n_keys = 16;
  Index d_k = 64;
  bool scaled = false;  // by 1 / sqrt(d_k), or not at all
};

// The normals of a budget's stream for one purpose. Each step (a query, say) has a stream of its
// own.
inline Stream stream_of(const Budget& budget, std::string_view purpose, std::int64_t step,
                        std::initializer_list<std::int64_t> sizes = {}) {
  return Stream(StreamKey(budget.seed, purpose, sizes), static_cast<std::uint64_t>(step));
}

// Calls visit(scores, sigma, stream) for each of the budget's queries; what else a query needs it
// may draw from the stream. A scaled and an unscaled setting share their draws.
template <class Visit>
void for_each_query(const Budget& budget, std::string_view purpose, const QuerySetting& setting,
                    Visit&& visit) {
  const double s = setting.scaled ? 1 / std::sqrt(static_cast<double>(setting.d_k)) : 1;
  std::vector<double> scores(static_cast<std::size_t>(setting.n_keys));
  for (std::int64_t query = 0; query < budget.n_queries; ++query) {
    Stream stream = stream_of(budget, purpose, query, {setting.n_keys, setting.d_k});
    const double sigma = s * sample_length(stream, setting.d_k);
    for (double& z : scores) z = sigma * stream.normal();
    visit(std::span<const double>(scores), sigma, stream);
  }
}

// "n 16, d_k 64, scaled"
std::string to_string(const QuerySetting& setting);

}  // namespace rootdk::claims
