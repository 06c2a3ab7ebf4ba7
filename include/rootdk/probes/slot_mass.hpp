#pragma once
#include "rootdk/autodiff/view.hpp"

namespace rootdk::probes {

// Entries first ... first + count - 1 of a token: one slot. A projection has a row for each entry.
struct Slot {
  Index first = 0;
  Index count = 0;
};

// |W[slot]|^2 / |W|^2: the share of a projection W (d_model, d) that reads this slot of a token. 1
// when it reads nothing else; the masses of slots that make up a token add up to 1, and are
// slot/d_model each, on average, for a random W. NaN for W = 0.
// Throws std::invalid_argument when W is no matrix or the slot lies outside of it.
template <class T>
double slot_mass(View<const T> w, Slot slot);

// |M[rows, columns]|^2 / |M|^2 for M = A B^T, with A, B (d_model, d): for A = W_Q and B = W_K the
// scores are x_i^T M x_j, so it is the share of the score that compares slot `rows` of the asking
// token with slot `columns` of the other. It sees what both agree on: a direction that W_Q reads and
// W_K ignores weighs nothing here. Every entry of M is formed once and dropped; nothing is stored.
// NaN for M = 0. Throws std::invalid_argument as above, or when A and B differ in shape.
template <class T>
double product_block_mass(View<const T> a, View<const T> b, Slot rows, Slot columns);

}  // namespace rootdk::probes
