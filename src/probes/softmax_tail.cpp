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

struct TopTwo {
  std::size_t winner = 0;
  double first = -infinity;
  double second = -infinity;
  bool has_nan = false;
};

constexpr std::size_t lanes = 16;

// The first place of a score, looked for 16 at a time; the end when it is not there.
template <class T>
std::size_t find(std::span<const T> scores, T score) {
  std::size_t j = 0;
  for (; j + lanes <= scores.size(); j += lanes) {
    std::int32_t here = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) here |= scores[j + lane] == score ? 1 : 0;
    if (here != 0) break;
  }
  const auto from = scores.begin() + static_cast<std::ptrdiff_t>(j);
  return static_cast<std::size_t>(std::find(from, scores.end(), score) - scores.begin());
}

// In lanes that are joined at the end, so that the loops have no branch and vectorise.
template <class T>
TopTwo top_two(std::span<const T> scores) {
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
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) {
      insert(lane, first[lane + half]);
      second[lane] = std::max(second[lane], second[lane + half]);
      has_nan[lane] |= has_nan[lane + half];
    }
  }
  return {.winner = find(scores, first[0]),
          .first = static_cast<double>(first[0]),
          .second = static_cast<double>(second[0]),
          .has_nan = has_nan[0] != 0};
}

// Adds the losers among up to 64 scores; `winner` counts from the first of them. Each step is a loop
// of its own, so that it vectorises.
template <class T>
void add_block(SoftmaxTail& tail, std::span<const T> scores, std::size_t winner,
               const TopTwo& top) {
  std::array<double, 64> f, depth;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    f[j] = elementary::exp_nonpositive(static_cast<double>(scores[j]) - top.second);
  }
  if (winner < scores.size()) f[winner] = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    // Where z_j = -inf, inf * 0 would be no number.
    const double below = f[j] > 0 ? top.first - static_cast<double>(scores[j]) : 0;
    depth[j] = below * f[j];
  }
  const std::span<const double> losers(f.data(), scores.size());
  tail.F_1 += sum(losers);
  tail.F_2 += sum_of(losers, [](double x) { return x * x; });
  tail.F_3 += sum_of(losers, [](double x) { return x * x * x; });
  tail.depth += sum(std::span<const double>(depth.data(), scores.size()));
}

}  // namespace

template <class T>
SoftmaxTail softmax_tail(std::span<const T> scores) {
  const TopTwo top = top_two(scores);
  SoftmaxTail tail;
  if (top.has_nan || top.first == infinity) {
    tail.row = SoftmaxTail::Row::not_a_number;
    return tail;
  }
  if (top.first == -infinity) return tail;
  tail.row = SoftmaxTail::Row::ordinary;
  tail.top_two_gap = top.first - top.second;
  if (top.second == -infinity) return tail;

  tail.e_2 = elementary::exp(-tail.top_two_gap);
  constexpr std::size_t block = 64;
  for (std::size_t begin = 0; begin < scores.size(); begin += block) {
    const std::size_t count = std::min(block, scores.size() - begin);
    add_block(tail, scores.subspan(begin, count), top.winner - begin, top);
  }
  return tail;
}
template SoftmaxTail softmax_tail(std::span<const float>);
template SoftmaxTail softmax_tail(std::span<const double>);

}  // namespace rootdk::probes
