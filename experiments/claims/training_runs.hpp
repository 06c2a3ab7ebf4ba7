#pragma once
// Short trainings on the task `lookup`, for the claims about what training does.
#include "claims/claim.hpp"
#include "rootdk/training/training_cell.hpp"

namespace rootdk::claims {

struct TrainingRun {
  CellResult result;
  StepRow last;  // the last recorded step
};

// lookup with slots as wide as there are tokens, so d_model = 3 n; 8 classes; batches of 8; SGD without
// momentum.
CellConfig lookup_config(Index n_tokens, std::string_view scale, Index d_k, double lr, Index steps);

// The budget's number of trainings of one setting; training t has the seed budget.seed + t.
std::vector<TrainingRun> train(const Budget& budget, const CellConfig& config);

}  // namespace rootdk::claims
