#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace rootdk {

// One row through the engine's softmax and its backward rule in float: what a float engine makes of
// scores that are known better.
class Float32Row {
 public:
  explicit Float32Row(std::size_t n) : z_(n), p_(n), d_z_(n) {}

  struct Outcome {
    bool weight_one = false;   // the largest weight is exactly 1
    bool winner_zero = false;  // the gradient of the winner's score is exactly 0
    bool row_zero = false;     // so are those of all scores
  };
  // z: n scores; d_p: n cotangents of the weights.
  Outcome run(std::span<const double> z, std::span<const float> d_p);

 private:
  std::vector<float> z_, p_, d_z_;
};

}  // namespace rootdk
