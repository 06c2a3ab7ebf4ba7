#pragma once
// The schema of worked_example, and the matrices that its keys name.
#include <optional>

#include "common/matrix.hpp"
#include "rootdk/attention/score_rule.hpp"
#include "rootdk/harness/request.hpp"

namespace rootdk {

struct WorkedInputs {
  Matrix queries;                    // Q (n_q, d_k)
  Matrix keys;                       // K (n_k, d_k)
  Matrix values;                     // V (n_k, d_v)
  std::optional<Matrix> d_output{};  // G (n_q, d_v)
  std::optional<Matrix> mask{};      // M (n_q, n_k): 1 where the query may look, 0 elsewhere
  bool causal = false;               // key j <= query i, on top of the mask
  ScoreRule rule = score_rule("inv_sqrt_dk");

  bool sees(Index query, Index key) const {
    return (!causal || key <= query) && (!mask || (*mask)(query, key) != 0);
  }
};

harness::ExperimentSpec worked_spec();

// Reads and checks everything before anything starts: files, shapes that fit, a mask of 0 and 1,
// memory for n_q n_k scores, and finite entries wherever one is looked at. What the mask hides from
// everyone is not looked at: a key that no query sees (a row of K and of V) and a query that sees
// no key (a row of Q and of G) may hold NaN or infinity, and read as zeros then.
// Without queries, keys and values: the three tokens. Throws harness::RequestError.
WorkedInputs worked_inputs(const harness::Config& config);

}  // namespace rootdk
