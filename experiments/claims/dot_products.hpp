#pragma once
// Products of real vectors, for the claims that are about them.
#include <vector>

#include "claims/gaussian_queries.hpp"

namespace rootdk::claims {

// q.k for independent pairs: no two products share a vector. Components are N(mean, 1).
inline std::vector<double> dot_products(const Budget& budget, Index d, double mean = 0) {
  std::vector<double> products(static_cast<std::size_t>(budget.n_queries));
  for (std::size_t pair = 0; pair < products.size(); ++pair) {
    Stream stream = stream_of(budget, "claims/dot_products", static_cast<std::int64_t>(pair), {d});
    double sum = 0;
    for (Index i = 0; i < d; ++i) {
      const double q = mean + stream.normal(), k = mean + stream.normal();
      sum += q * k;
    }
    products[pair] = sum;
  }
  return products;
}

}  // namespace rootdk::claims
