// Variance, mean and fourth moment of q.k over independent pairs.
#include "claims/dot_products.hpp"
#include "claims/table.hpp"

namespace rootdk::claims {
namespace {

// Var / d; its relative standard error is sqrt((kurtosis - 1) / N), and a product of d pairs of
// normals has the kurtosis 3 + 6/d.
Statistic variance(const Budget& budget, Index d) {
  const auto width = static_cast<double>(d);
  const double value = variance_of(dot_products(budget, d)).value / width;
  const double error = std::sqrt((2 + 6 / width) / static_cast<double>(budget.n_queries));
  return {.name = "Var(q.k) / d, entries N(0, 1), d " + std::to_string(d),
          .claimed = equals(1),
          .predicted = equals(1),
          .measured = with_error(value, error)};
}

std::vector<Statistic> measure(const Budget& budget) {
  constexpr Index d = 64;
  const auto width = static_cast<double>(d);
  std::vector<double> products = dot_products(budget, d);
  const Estimate mean = scaled(mean_of(products), 1 / std::sqrt(width));
  for (double& x : products) x = x * x * x * x / (width * width);
  const Estimate fourth = mean_of(products);
  const Estimate shifted = scaled(variance_of(dot_products(budget, d, 1)), 1 / width);
  Statistic middle = variance(budget, 16);
  middle.detail = true;
  return {
      variance(budget, 1),
      middle,
      variance(budget, d),
      {.name = "E(q.k) / sqrt(d), d 64", .predicted = equals(0), .measured = mean, .detail = true},
      {.name = "E(q.k)^4 / d^2, d 64: 3 (1 + 2/d)",
       .predicted = equals(3 * (1 + 2 / width)),
       .measured = fourth,
       .detail = true},
      {.name = "Var(q.k) / d, entries N(1, 1), d 64: 1 + mu_q^2 + mu_k^2",
       .claimed = equals(1),
       .predicted = equals(3),
       .measured = shifted,
       .within_condition = false}};
}

}  // namespace

constinit const Claim dot_product_variance{
    .id = "dot_product_variance",
    .sentence =
        "The dot product of two random vectors with d_k components of variance one has "
        "variance d_k.",
    .condition = "the components are independent and have mean zero",
    .why = "d_k independent products add their variances; a mean mu in both adds 2 mu^2 to each.",
    .measure = measure,
    .cost = 10};

}  // namespace rootdk::claims
