#pragma once
#include <string>
#include <utility>
#include <vector>

#include "rootdk/attention/attention.hpp"
#include "worked_example/worked_inputs.hpp"

namespace rootdk {

// The inputs and the five steps on a tape, by the reference backend: its bits depend on nothing but
// the inputs.
struct WorkedGraph {
  Var<double> queries, keys, values;
  Attention<double> steps;
};
WorkedGraph record(Tape<double>& tape, const WorkedInputs& in);

// Every matrix of the example by the name of its file, in the order of the calculation:
//   queries keys values, mask (1 where a query may look; when something is hidden)
//   scores scaled weights output
// and, given G,
//   d_output d_values d_weights d_scaled d_scores d_queries d_keys
class WorkedResult {
 public:
  // Throws harness::RequestError when a result is not finite: the inputs overflow float64. Hidden
  // entries of scores and scaled are nobody's result.
  explicit WorkedResult(const WorkedInputs& in);

  // Throws std::logic_error when there is none of this name.
  const Matrix& operator[](std::string_view name) const;
  bool has_gradients() const { return has_gradients_; }
  const std::vector<std::pair<std::string, Matrix>>& matrices() const { return matrices_; }

 private:
  std::vector<std::pair<std::string, Matrix>> matrices_;
  bool has_gradients_;
};

}  // namespace rootdk
