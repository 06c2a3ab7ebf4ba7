#include "common/npy.hpp"

#include <stdexcept>
#include <vector>
#include <xtensor/xadapt.hpp>
#include <xtensor/xnpy.hpp>

namespace rootdk {

template <class T>
std::string npy_bytes(const View<const T>& view) {
  if (!view.is_contiguous()) throw std::invalid_argument("npy: the tensor must be contiguous");
  std::vector<std::size_t> shape;
  for (int axis = 0; axis < view.rank(); ++axis) {
    shape.push_back(static_cast<std::size_t>(view.shape[axis]));
  }
  return xt::dump_npy(
      xt::adapt(view.data, static_cast<std::size_t>(view.shape.size()), xt::no_ownership(), shape));
}

template std::string npy_bytes(const View<const float>&);
template std::string npy_bytes(const View<const double>&);
template std::string npy_bytes(const View<const std::int32_t>&);

}  // namespace rootdk
