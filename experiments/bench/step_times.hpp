#pragma once
#include <functional>
#include <optional>

#include "bench/training_step.hpp"

namespace rootdk {

// Seconds of one step by the clock on the wall, medians over interleaved rounds.
struct StepTimes {
  double ours = 0;
  std::optional<double> peer;  // nothing when there is none
  double products = 0;         // the matrix products of our step alone
};

// Ours, the peer (which may be nowhere) and the products in turn. Throws std::runtime_error that
// says where they differ when the peer, from the same weights, does not compute the same step.
StepTimes time_step(TrainingStep& ours, Peer* peer, std::size_t rounds,
                    const std::function<void()>& each);

}  // namespace rootdk
