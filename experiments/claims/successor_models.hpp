#pragma once
// Models of the task `successor`, trained briefly and then examined, for the claims about roles.
#include <memory>
#include <string_view>

#include "claims/claim.hpp"
#include "rootdk/attention/projections.hpp"
#include "rootdk/tasks/task.hpp"
#include "rootdk/training/cell_config.hpp"
#include "rootdk/training/evaluation.hpp"

namespace rootdk::claims {

// successor: 12 tokens of 24 symbols, embeddings of 32, 32 classes; d_k = d_v = 32; batches of 64
// sequences, Adam at 0.003, 1000 steps.
CellConfig successor_config(ProjectionKind kind, std::uint64_t seed);
inline constexpr std::string_view successor_text = "successor, 12 tokens, Adam, 1000 steps";

// Weights of one model, with the task of its seed.
class SuccessorModel {
 public:
  // Untrained, or trained to the end of the configuration.
  static SuccessorModel untrained(const CellConfig& config);
  static SuccessorModel trained(const CellConfig& config);

  // Right answers about `relation` after an intervention of common/interventions.hpp, by name, on a
  // copy of the weights.
  Tally ask(std::string_view intervention, Relation relation, Index sequences) const;

 private:
  explicit SuccessorModel(const CellConfig& config);

  CellConfig config_;
  std::shared_ptr<const Projections<float>> weights_;
};

// One model a training of the budget.
std::vector<SuccessorModel> train_successor(const Budget& budget, ProjectionKind kind);

// All models asked, with the interval of their pooled answers.
Estimate accuracy(const std::vector<SuccessorModel>& models, std::string_view intervention,
                  Relation relation);

}  // namespace rootdk::claims
