#include "bench/step_times.hpp"

#include <stdexcept>

#include "bench/interleaved.hpp"

namespace rootdk {

StepTimes time_step(TrainingStep& ours, Peer* peer, std::size_t rounds,
                    const std::function<void()>& each) {
  std::vector<std::function<void()>> jobs{[&] { ours.step(); }, [&] { ours.products(); }};
  if (peer != nullptr) {
    const std::string difference = disagreement(ours.result(), peer->result());
    if (!difference.empty()) {
      throw std::runtime_error(
          "the peer does not compute the same step, so there is nothing to "
          "compare: " +
          difference);
    }
    jobs.emplace_back([peer] { peer->step(); });
  }
  const std::vector<double> seconds = interleaved_seconds(rounds, jobs, each);
  StepTimes times{.ours = seconds[0], .peer = {}, .products = seconds[1]};
  if (peer != nullptr) times.peer = seconds[2];
  return times;
}

}  // namespace rootdk
