#include "rootdk/theory/attention_cost.hpp"

#include <algorithm>
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

void check(std::initializer_list<std::int64_t> extents) {
  for (const std::int64_t size : extents) {
    if (size < 1 || size > largest_size) {
      throw std::invalid_argument("attention_cost: a size of " + std::to_string(size) +
                                  " is not between 1 and " + std::to_string(largest_size));
    }
  }
}

void check(const LayerSizes& sizes) {
  check({sizes.n_tokens, sizes.d_model, sizes.d_k, sizes.d_v});
}

Rates rates(Pass pass, const LayerSizes& sizes) {
  check(sizes);
  const std::int64_t m = sizes.d_model, d_k = sizes.d_k, d_v = sizes.d_v;
  const std::int64_t projection = 2 * m * (2 * d_k + d_v), products = 2 * (d_k + d_v);
  if (pass == Pass::forward) return {projection, 1, products + 1 + 5};
  return {2 * projection, 0, 2 * products + 2 + 5};
}

// Entries of dO O^T that are computed for its diagonal.
std::int64_t diagonal_blocks(std::int64_t n, std::int64_t rows) {
  return n / rows * rows * rows + (n % rows) * (n % rows);
}

std::int64_t streaming_operations(Pass pass, const LayerSizes& sizes, const Tiles& tiles) {
  const auto& [n, m, d_k, d_v] = sizes;
  if (pass == Pass::backward) {
    return n * n * (6 * d_k + 4 * d_v + 7) + 2 * d_v * diagonal_blocks(n, tiles.queries);
  }
  const std::int64_t tiles_a_row = (n + tiles.keys - 1) / tiles.keys;
  return n * n * (2 * d_k + 2 * d_v + 5) + n * tiles_a_row * (d_v + 5) + n * (d_v + 1);
}

}  // namespace

PartCounts operations(Pass pass, const LayerSizes& sizes) {
  const auto [projection, token, pair] = rates(pass, sizes);
  const std::int64_t n = sizes.n_tokens;
  return {n * projection, n * token + n * n * pair};
}

PartCounts operations(Pass pass, const LayerSizes& sizes, const Tiles& tiles) {
  check({tiles.queries, tiles.keys});
  return {operations(pass, sizes).projections, streaming_operations(pass, sizes, tiles)};
}

PartCounts numbers_held(Pass pass, const LayerSizes& sizes) {
  check(sizes);
  const auto& [n, m, d_k, d_v] = sizes;
  const std::int64_t copies = pass == Pass::forward ? 1 : 2;
  return {copies * (n * m + (m + n) * (2 * d_k + d_v)), copies * (3 * n * n + n * d_v)};
}

PartCounts numbers_held(Pass pass, const LayerSizes& sizes, const Tiles& tiles) {
  check({tiles.queries, tiles.keys});
  const std::int64_t n = sizes.n_tokens, copies = pass == Pass::forward ? 1 : 2;
  const std::int64_t rows = std::min(tiles.queries, n), columns = std::min(tiles.keys, n);
  return {numbers_held(pass, sizes).projections,
          copies * n * sizes.d_v + 3 * n + 2 * rows * std::max(rows, columns)};
}

// n token + n^2 pair >= n projection  <=>  n >= (projection - token) / pair, rounded up
std::int64_t crossover(Pass pass, const LayerSizes& sizes) {
  const auto [projection, token, pair] = rates(pass, sizes);
  const std::int64_t n = (projection - token + pair - 1) / pair;
  return n < 1 ? 1 : n;
}

// Operations of attention a token grow with n: one token more adds at least 2 (d_k + d_v) to each, and
// its effect on the blocks of D takes less than 2 d_v away. So the first n is found by halving, between
// 0 and where the pairs alone suffice.
std::int64_t crossover(Pass pass, const LayerSizes& sizes, const Tiles& tiles) {
  check({tiles.queries, tiles.keys});
  const auto [projection, token, pair] = rates(pass, sizes);
  const auto suffices = [&, a_token = projection](std::int64_t n) {
    LayerSizes at = sizes;
    at.n_tokens = n;
    return streaming_operations(pass, at, tiles) >= n * a_token;
  };
  std::int64_t low = 0,
               high = projection / (pair - 1) + 1;  // a pair costs pair - 1 or more in tiles
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (suffices(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace rootdk::theory
