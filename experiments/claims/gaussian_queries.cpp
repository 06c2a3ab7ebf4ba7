#include "claims/gaussian_queries.hpp"

#include "rootdk/elementary.hpp"

namespace rootdk::claims {

double sample_length(Stream& stream, Index d) {
  if (d < 3) {
    double square = 0;
    for (Index i = 0; i < d; ++i) {
      const double x = stream.normal();
      square += x * x;
    }
    return std::sqrt(square);
  }
  const double a = static_cast<double>(d) / 2 - 1 / 3.0, c = 1 / std::sqrt(9 * a);
  for (;;) {
    const double x = stream.normal(), root = 1 + c * x;
    const double u = stream.uniform();
    if (root <= 0) continue;
    const double v = root * root * root;
    const double log_ratio = x * x / 2 + a * (1 - v + elementary::log(v));
    if (elementary::log(u) < log_ratio) return std::sqrt(2 * a * v);
  }
}

std::string to_string(const QuerySetting& setting) {
  return "n " + std::to_string(setting.n_keys) + ", d_k " + std::to_string(setting.d_k) +
         (setting.scaled ? ", scaled" : ", unscaled");
}

}  // namespace rootdk::claims
