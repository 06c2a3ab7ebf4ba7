#pragma once
#include <algorithm>
#include <cstddef>
#include <ctime>
#include <functional>
#include <vector>

#include "common/median.hpp"

namespace rootdk {

// Processor seconds of one call: the fastest of the repeats, and their median.
struct Timing {
  double fastest = 0;
  double median = 0;
};

// Processor time of this thread. What runs a single thread takes as long by the clock on the wall
// when the machine is quiet, and this does not count what others were given.
inline double thread_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Times `run`, `repeats` times. The first calls are not timed: they touch the memory and fill the
// caches. A call that is short is timed in groups of at least a millisecond, far above the grain of
// the clock. `each` is called after every repeat.
template <class Run>
Timing time_of(std::size_t repeats, const std::function<void()>& each, Run&& run) {
  constexpr double shortest = 1e-3;
  run();
  std::size_t calls = 1;
  const auto sample = [&] {
    const double start = thread_seconds();
    for (std::size_t i = 0; i < calls; ++i) run();
    return (thread_seconds() - start) / static_cast<double>(calls);
  };
  while (sample() * static_cast<double>(calls) < shortest) calls *= 2;
  std::vector<double> seconds;
  for (std::size_t i = 0; i < repeats; ++i) {
    seconds.push_back(sample());
    each();
  }
  return {*std::min_element(seconds.begin(), seconds.end()), median(seconds)};
}

}  // namespace rootdk
