#include "rootdk/probes/softmax_tail.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "rootdk/elementary.hpp"
#include "rootdk/probes/row_sums.hpp"

namespace rootdk::probes {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

constexpr std::size_t lanes = 16;

template <class T>
struct TopTwo {
  T first, second;
  bool has_nan;
};

// In lanes that are joined at the end, so that the loops have no branch and vectorise.
template <class T>
TopTwo<T> top_two(std::span<const T> scores) {
  std::array<T, lanes> first, second;
  std::array<std::int32_t, lanes> has_nan{};
  first.fill(static_cast<T>(-infinity));
  second.fill(static_cast<T>(-infinity));
  const auto insert = [&](std::size_t lane, T z) {
    const T lower = z < first[lane] ? z : first[lane];
    second[lane] = second[lane] < lower ? lower : second[lane];
    first[lane] = first[lane] < z ? z : first[lane];
    has_nan[lane] |= std::isnan(z) ? 1 : 0;
  };
  std::size_t j = 0;
  for (; j + lanes <= scores.size(); j += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) insert(lane, scores[j + lane]);
  }
  for (std::size_t lane = 0; j + lane < scores.size(); ++lane) insert(lane, scores[j + lane]);
  join_pairwise<lanes>([&](std::size_t lane, std::size_t other) {
    insert(lane, first[other]);
    second[lane] = std::max(second[lane], second[other]);
    has_nan[lane] |= has_nan[other];
  });
  return {first[0], second[0], has_nan[0] != 0};
}

constexpr std::size_t block = 64;

// Adds up to 64 scores, few enough to be summed in their own type before they join the others in double.
// Each step is a loop of its own, so that it vectorises.
template <class T>
void add_block(SoftmaxTail& tail, std::span<const T> scores, const TopTwo<T>& top) {
  std::array<T, block> f, depth;
  const T first = top.first, second = top.second;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const T lead = scores[j] - second;
    f[j] = elementary::exp_nonpositive(lead < 0 ? lead : T(0));
  }
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const T term = (first - scores[j]) * f[j];
    depth[j] = f[j] > 0 ? term : T(0);  // where z_j = -inf, inf * 0 is no number
  }
  const std::span<const T> here(f.data(), scores.size());
  tail.F_1 += sum_of<T>(here, [](T x) { return x; });
  tail.F_2 += sum_of<T>(here, [](T x) { return x * x; });
  tail.F_3 += sum_of<T>(here, [](T x) { return x * x * x; });
  tail.depth += sum_of<T>(std::span<const T>(depth.data(), scores.size()), [](T x) { return x; });
}

}  // namespace

template <class T>
SoftmaxTail softmax_tail(std::span<const T> scores) {
  const TopTwo<T> top = top_two(scores);
  SoftmaxTail tail;
  if (top.has_nan || top.first == infinity) {
    tail.row = SoftmaxTail::Row::not_a_number;
    return tail;
  }
  if (top.first == -infinity) return tail;
  tail.row = SoftmaxTail::Row::ordinary;
  tail.top_two_gap = static_cast<double>(top.first) - static_cast<double>(top.second);
  if (top.second == -infinity) return tail;

  tail.e_2 = elementary::exp(-tail.top_two_gap);
  // The winner is added as if it were tied with the runner-up, an exact 1, and taken off again: the sums
  // are at least 2, so no more than half of one is.
  tail.F_1 = tail.F_2 = tail.F_3 = -1;
  for (std::size_t begin = 0; begin < scores.size(); begin += block) {
    add_block(tail, scores.subspan(begin, std::min(block, scores.size() - begin)), top);
  }
  return tail;
}
template SoftmaxTail softmax_tail(std::span<const float>);
template SoftmaxTail softmax_tail(std::span<const double>);

}  // namespace rootdk::probes
