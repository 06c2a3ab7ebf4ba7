#include "rootdk/attention/projections.hpp"

#include <cmath>

#include "rootdk/random.hpp"

namespace rootdk {
namespace {

constexpr std::array<Named<ProjectionKind>, 3> kinds{{{ProjectionKind::untied, "untied"},
                                                      {ProjectionKind::tied, "tied"},
                                                      {ProjectionKind::none, "none"}}};

}  // namespace

std::span<const Named<ProjectionKind>> projection_kind_table() { return kinds; }
std::string_view to_string(ProjectionKind kind) { return name_in(projection_kind_table(), kind); }
ProjectionKind projection_kind(std::string_view word) {
  return value_in(projection_kind_table(), "projections", word);
}

template <class T>
Projections<T>::Projections(Index d_model, Index d_k, Index d_v, std::uint64_t seed)
    : w_q("w_q", Shape{d_model, d_k}),
      w_k("w_k", Shape{d_model, d_k}),
      w_v("w_v", Shape{d_model, d_v}) {
  const double standard_deviation = 1 / std::sqrt(static_cast<double>(d_model));
  for (Parameter<T>* parameter : all()) {
    Stream stream(StreamKey(seed, parameter->name, {parameter->shape[0], parameter->shape[1]}));
    fill_normal(stream, parameter->value().entries(), standard_deviation);
  }
}

template <class T>
std::vector<Parameter<T>*> trained(Projections<T>& projections, ProjectionKind kind) {
  auto& [w_q, w_k, w_v] = projections;
  switch (kind) {
    case ProjectionKind::untied: return {&w_q, &w_k, &w_v};
    case ProjectionKind::tied: return {&w_q, &w_v};
    case ProjectionKind::none: return {};
  }
  return {};
}
template std::vector<Parameter<float>*> trained(Projections<float>&, ProjectionKind);
template std::vector<Parameter<double>*> trained(Projections<double>&, ProjectionKind);

template struct Projections<float>;
template struct Projections<double>;

}  // namespace rootdk
