#pragma once
#include <functional>
#include <vector>

namespace rootdk {

// Seconds that one call of each job takes by the clock on the wall: medians over rounds. In a round
// the jobs take turns, each as often in a row as fills a few milliseconds, so whatever slows the
// machine down for a while slows all of them. The first call of each turn is not timed. `each` is
// called after every round.
std::vector<double> interleaved_seconds(std::size_t rounds,
                                        const std::vector<std::function<void()>>& jobs,
                                        const std::function<void()>& each);

}  // namespace rootdk
