#include "bench/interleaved.hpp"

#include <chrono>

#include "common/median.hpp"

namespace rootdk {
namespace {

double seconds_of(std::size_t calls, const std::function<void()>& job) {
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < calls; ++i) job();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// How many calls fill a turn; they are also the warm-up.
std::size_t calls_of_a_turn(const std::function<void()>& job) {
  constexpr double turn = 0.002;  // on a busy machine long turns are all disturbed
  job();
  std::size_t calls = 1;
  while (seconds_of(calls, job) < turn) calls *= 2;
  return calls;
}

}  // namespace

std::vector<double> interleaved_seconds(std::size_t rounds,
                                        const std::vector<std::function<void()>>& jobs,
                                        const std::function<void()>& each) {
  std::vector<std::size_t> calls;
  for (const auto& job : jobs) calls.push_back(calls_of_a_turn(job));
  std::vector<std::vector<double>> seconds(jobs.size());
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t j = 0; j < jobs.size(); ++j) {
      jobs[j]();  // the caches still hold what the job before it left
      seconds[j].push_back(seconds_of(calls[j], jobs[j]) / static_cast<double>(calls[j]));
    }
    each();
  }
  std::vector<double> medians;
  for (std::vector<double>& of_job : seconds) medians.push_back(median(std::move(of_job)));
  return medians;
}

}  // namespace rootdk
