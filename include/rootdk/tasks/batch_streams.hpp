#pragma once
#include <initializer_list>
#include <string>
#include <string_view>

#include "rootdk/random.hpp"
#include "rootdk/tasks/task.hpp"

namespace rootdk {

// Where the sequences of a task come from: sequence b of step s has a stream of its own, so it does
// not depend on the batch size, and each split is a purpose of its own: they share no draw.
class BatchStreams {
 public:
  // `shape` holds the parameters that decide what is drawn.
  BatchStreams(std::uint64_t seed, std::string_view task, std::initializer_list<std::int64_t> shape)
      : train_(seed, std::string(task) + "/train", shape),
        evaluation_(seed, std::string(task) + "/evaluation", shape),
        probe_(seed, std::string(task) + "/probe", shape) {}

  Stream sequence(Split split, std::uint64_t step, Index b) const {
    return Stream(key(split), step, static_cast<std::uint64_t>(b));
  }

 private:
  const StreamKey& key(Split split) const {
    return split == Split::train ? train_ : split == Split::evaluation ? evaluation_ : probe_;
  }

  StreamKey train_;
  StreamKey evaluation_;
  StreamKey probe_;
};

}  // namespace rootdk
