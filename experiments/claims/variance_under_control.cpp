// The variance of a score at d_k 4 and 64, on real vectors, with the scale and without it.
#include "claims/dot_products.hpp"
#include "claims/table.hpp"

namespace rootdk::claims {
namespace {

Estimate variance_of_score(const Budget& budget, Index d) {
  return scaled(variance_of(dot_products(budget, d)), 1 / static_cast<double>(d));
}

std::vector<Statistic> measure(const Budget& budget) {
  constexpr Index small = 4, large = 64;
  const Estimate low = variance_of_score(budget, small), high = variance_of_score(budget, large);
  const Index times_wider = large / small;
  const auto growth = static_cast<double>(times_wider);
  return {{.name = "variance of a score, d_k 64 over d_k 4, scaled",
           .claimed = equals(1),
           .predicted = equals(1),
           .measured = ratio_of(high, low)},
          {.name = "variance of a score, d_k 64 over d_k 4, unscaled",
           .claimed = at_least(growth / 2),
           .predicted = equals(growth),
           .measured = scaled(ratio_of(high, low), growth)}};
}

}  // namespace

constinit const Claim variance_under_control{
    .id = "variance_under_control",
    .sentence = "The factor 1/sqrt(d_k) keeps the variance of the scores from growing with d_k.",
    .condition = "",
    .why = "Before training a raw score has variance d_k, and the factor divides it by d_k.",
    .measure = measure};

}  // namespace rootdk::claims
