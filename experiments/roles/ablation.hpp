#pragma once
#include "rootdk/harness/run_sweep.hpp"

namespace rootdk {

// Trains one kind of projections on successor, with each seed of the config, and asks the models
// for successor, predecessor and identity, before and after interventions (interventions.hpp;
// without projections there is nothing to train or to change, and tied ones have nothing to
// exchange).
//
// ablation.csv pools the seeds: its accuracy is the share of right answers over the evaluation
// queries of all seeds, its interval the 95 % of Clopper and Pearson for that share: what further
// queries to these models would give, not what further seeds would. Those stand in
// ablation_seeds.csv, a row a seed.
template <class T>
void run_ablation(const harness::CellPoint& point, harness::CellOutput& out);

}  // namespace rootdk
