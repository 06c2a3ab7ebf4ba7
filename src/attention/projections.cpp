#include "rootdk/attention/projections.hpp"

#include <cmath>

#include "rootdk/random.hpp"

namespace rootdk {

template <class T>
Projections<T>::Projections(Index d_model, Index d_k, Index d_v, std::uint64_t seed)
    : w_q("w_q", Shape{d_model, d_k}),
      w_k("w_k", Shape{d_model, d_k}),
      w_v("w_v", Shape{d_model, d_v}) {
  const double standard_deviation = 1 / std::sqrt(static_cast<double>(d_model));
  for (Parameter<T>* parameter : all()) {
    Stream stream(StreamKey(seed, parameter->name, {parameter->shape[0], parameter->shape[1]}));
    const View<T> value = parameter->value();
    fill_normal(stream, std::span(value.data, static_cast<std::size_t>(value.shape.size())),
                standard_deviation);
  }
}

template struct Projections<float>;
template struct Projections<double>;

}  // namespace rootdk
