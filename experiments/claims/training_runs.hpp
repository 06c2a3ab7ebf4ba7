#pragma once
// Short trainings on the task `lookup`, for the claims about what training does.
#include "claims/claim.hpp"
#include "rootdk/training/training_cell.hpp"

namespace rootdk::claims {

struct TrainingRun {
  CellResult result;
  StepRow last;  // the last recorded step
};

// lookup: 16 tokens, slots of 16, so d_model 48; 8 classes; batches of 8; plain SGD.
CellConfig lookup_config(std::string_view scale, Index d_k, double lr, Index steps);
inline constexpr std::string_view lookup_text = "lookup of 16 tokens, SGD, batch 8";

// The budget's number of trainings of one setting; training t has the seed budget.seed + t.
std::vector<TrainingRun> train(const Budget& budget, const CellConfig& config);

}  // namespace rootdk::claims
