// The softmax of the engine in float32, on rows from flat to saturated.
#include <algorithm>

#include "claims/small_attention.hpp"
#include "claims/table.hpp"

namespace rootdk::claims {
namespace {

constexpr Index n = 64, rows = 512;

// The smallest gap of two scores at which the loser's float32 weight is exactly 0, by bisection.
double gap_of_exact_zero() {
  Tape<float> tape;
  const Var<float> z = tape.variable(Shape{1, 2});
  const Var<float> p = softmax_rows(z);
  float low = 0, high = 200;
  while (std::nextafter(low, high) < high) {
    const float gap = low + (high - low) / 2;
    z.writable_value().data[0] = gap;
    tape.replay();
    (p.value().data[1] == 0 ? high : low) = gap;
  }
  return static_cast<double>(high);
}

std::vector<Statistic> measure(const Budget& budget) {
  Tape<float> tape;
  const Var<float> z = tape.variable(Shape{rows, n});
  Stream stream = stream_of(budget, "claims/weights_sum_to_one", 0);
  for (Index r = 0; r < rows; ++r) {  // standard deviations from 0.1 to 51
    const std::span row(z.writable_value().row(r), static_cast<std::size_t>(n));
    fill_normal(stream, row, 0.1 * static_cast<double>(r + 1));
  }
  const Var<float> p = softmax_rows(z);
  double worst_sum = 0;
  for (Index r = 0; r < rows; ++r) {
    double sum = 0;
    for (Index j = 0; j < n; ++j) sum += static_cast<double>(p.value()(r, j));
    worst_sum = std::max(worst_sum, std::abs(sum - 1));
  }
  const auto weights = p.value().entries();
  const double least = static_cast<double>(*std::min_element(weights.begin(), weights.end()));
  // The smallest float is 2^-149; half of it and less rounds to 0.
  const double ln_2 = 0.693147180559945309417;
  return {{.name = "largest |row sum - 1|, 512 rows of 64 keys, float32",
           .claimed = equals(0, static_cast<double>(n) * 0x1p-23),
           .predicted = equals(0, static_cast<double>(n) * 0x1p-23),
           .measured = exact(worst_sum)},
          {.name = "smallest weight, 512 rows of 64 keys, float32",
           .claimed = at_least(0),
           .predicted = at_least(0),
           .measured = exact(least),
           .detail = true},
          {.name = "gap of two scores from which the loser's float32 weight is exactly 0",
           .predicted = equals(150 * ln_2, 1e-4),
           .measured = exact(gap_of_exact_zero())}};
}

}  // namespace

constinit const Claim weights_sum_to_one{
    .id = "weights_sum_to_one",
    .sentence = "A softmax over each row makes weights that are never negative and add up to one.",
    .condition = "",
    .why =
        "exp is positive and the row is divided by its sum; in float32 far losers become exactly "
        "0.",
    .measure = measure};

}  // namespace rootdk::claims
