#include "rootdk/theory/attention_cost.hpp"

#include <initializer_list>
#include <stdexcept>
#include <string>

namespace rootdk::theory {
namespace {

// Operations of one pass as a polynomial: projections = n projection, attention = n token + n^2
// pair.
struct Rates {
  std::int64_t projection, token, pair;
};

void check(const LayerSizes& sizes) {
  const auto& [n, m, d_k, d_v] = sizes;
  for (const std::int64_t size : {n, m, d_k, d_v}) {
    if (size < 1 || size > largest_size) {
      throw std::invalid_argument("attention_cost: a size of " + std::to_string(size) +
                                  " is not between 1 and " + std::to_string(largest_size));
    }
  }
}

Rates rates(Pass pass, const LayerSizes& sizes) {
  check(sizes);
  const std::int64_t m = sizes.d_model, d_k = sizes.d_k, d_v = sizes.d_v;
  const std::int64_t projection = 2 * m * (2 * d_k + d_v), products = 2 * (d_k + d_v);
  if (pass == Pass::forward) return {projection, 1, products + 1 + 5};
  return {2 * projection, 0, 2 * products + 2 + 5};
}

}  // namespace

Split operations(Pass pass, const LayerSizes& sizes) {
  const auto [projection, token, pair] = rates(pass, sizes);
  const std::int64_t n = sizes.n_tokens;
  return {n * projection, n * token + n * n * pair};
}

Split numbers_held(Pass pass, const LayerSizes& sizes) {
  check(sizes);
  const auto& [n, m, d_k, d_v] = sizes;
  const std::int64_t copies = pass == Pass::forward ? 1 : 2;
  return {copies * (n * m + (m + n) * (2 * d_k + d_v)), copies * (3 * n * n + n * d_v)};
}

// n token + n^2 pair >= n projection  <=>  n >= (projection - token) / pair, rounded up
std::int64_t crossover(Pass pass, const LayerSizes& sizes) {
  const auto [projection, token, pair] = rates(pass, sizes);
  const std::int64_t n = (projection - token + pair - 1) / pair;
  return n < 1 ? 1 : n;
}

}  // namespace rootdk::theory
