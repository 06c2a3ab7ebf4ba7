#pragma once
// What is done to a trained model to see which matrix does what: nothing is trained afterwards.
#include <cstdint>
#include <span>
#include <string_view>

#include "rootdk/attention/projections.hpp"

namespace rootdk {

template <class T>
struct Intervention {
  std::string_view name;
  bool before_training;                                // on the initial weights instead
  void (*apply)(Projections<T>&, std::uint64_t seed);  // changes the matrices in place
};

//   untrained            the initial weights
//   untrained_swap_q_k   the initial weights, W_Q and W_K exchanged
//   none                 the trained weights
//   swap_q_k             W_Q and W_K exchanged: M = W_Q W_K^T becomes its transpose
//   rotate_q_k           W_Q R and W_K R with a random orthogonal R (a function of the seed): M stays
//   swap_k_v             W_K and W_V exchanged; where d_k = d_v, else their shapes do not allow it
template <class T>
std::span<const Intervention<T>> interventions();

// Whether it does anything.
template <class T>
bool changes_weights(const Intervention<T>& intervention);

// Whether the shapes of these matrices allow it.
template <class T>
bool applies(const Intervention<T>& intervention, const Projections<T>& projections);

}  // namespace rootdk
