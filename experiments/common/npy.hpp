#pragma once
#include <cstdint>
#include <string>

#include "rootdk/autodiff/view.hpp"

namespace rootdk {

// A contiguous tensor as the bytes of a numpy .npy file (version 1, C order).
template <class T>
std::string npy_bytes(const View<const T>& view);

extern template std::string npy_bytes(const View<const float>&);
extern template std::string npy_bytes(const View<const double>&);
extern template std::string npy_bytes(const View<const std::int32_t>&);

}  // namespace rootdk
