#pragma once
// The weights of a model outside its training: as it starts, changed, and asked.
#include <memory>

#include "common/interventions.hpp"
#include "rootdk/training/cell_config.hpp"
#include "rootdk/training/evaluation.hpp"

namespace rootdk {

// Those that training starts from.
template <class T>
std::unique_ptr<Projections<T>> initial_weights(const CellConfig& config);

template <class T>
std::unique_ptr<Projections<T>> copy_of(const Projections<T>& weights);

// A copy after an intervention.
template <class T>
std::unique_ptr<Projections<T>> changed_by(const Intervention<T>& intervention,
                                           const Projections<T>& weights, std::uint64_t seed);

// Right answers about `relation` that the model of the config gives with these weights, over at least
// so many sequences of the evaluation stream. Scores are materialised and multiplied in direct order.
template <class T>
Tally ask(const CellConfig& config, Projections<T>& weights, Relation relation, Index sequences);

}  // namespace rootdk
