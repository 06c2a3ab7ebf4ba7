#include "rootdk/probes/softmax_tail.hpp"

#include <algorithm>
#include <array>

#include "rootdk/elementary.hpp"

namespace rootdk::probes {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct TopTwo {
  std::size_t winner = 0;
  double first = -infinity;
  double second = -infinity;
  bool has_nan = false;
};

template <class T>
TopTwo top_two(std::span<const T> scores) {
  TopTwo top;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const double z = static_cast<double>(scores[j]);
    top.has_nan = top.has_nan || z != z;
    if (z > top.first) {
      top.second = top.first;
      top.first = z;
      top.winner = j;
    } else if (z > top.second) {
      top.second = z;
    }
  }
  return top;
}

// Adds the losers among up to 64 scores; `winner` counts from the first of them. The exponentials
// are a loop of their own, so that they vectorise.
template <class T>
void add_block(SoftmaxTail& tail, std::span<const T> scores, std::size_t winner,
               const TopTwo& top) {
  std::array<double, 64> f;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    f[j] = elementary::exp(static_cast<double>(scores[j]) - top.second);
  }
  if (winner < scores.size()) f[winner] = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    // Where z_j = -inf, inf * 0 would be no number.
    const double below = f[j] > 0 ? top.first - static_cast<double>(scores[j]) : 0;
    tail.F_1 += f[j];
    tail.F_2 += f[j] * f[j];
    tail.F_3 += f[j] * f[j] * f[j];
    tail.depth += below * f[j];
  }
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
