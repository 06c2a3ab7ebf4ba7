#include "common/quantiles.hpp"

#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace rootdk {

double beta_quantile(double a, double b, double p) { return boost::math::ibeta_inv(a, b, p); }

double beta_quantile_from_above(double a, double b, double p) {
  return boost::math::ibetac_inv(a, b, p);
}

double students_t_two_sided(double degrees, double p) {
  double rest = 0;  // 1 - B, which B near 1 would lose
  const double b = boost::math::ibeta_inv(degrees / 2, 0.5, p, &rest);
  return std::sqrt(degrees * rest / b);
}

}  // namespace rootdk
