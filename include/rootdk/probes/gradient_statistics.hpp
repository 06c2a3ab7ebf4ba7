#pragma once
#include <array>
#include <span>
#include <string_view>

namespace rootdk::probes {

// Euclidean norm of a row, in double. Entries that are double are divided by a power of two near the
// largest first, so that no square underflows or overflows: rows of 1e-200 and of 1e+200 have the
// norms they should. NaN when an entry is NaN; 0 for an empty row.
template <class T>
double norm(std::span<const T> row);

// What a step's many values of one quantity (one a query, say) come to. All NaN when a value is NaN
// or when there is no value: nothing is dropped in silence.
struct Summary {
  double mean = 0;
  double rms = 0;     // sqrt(mean of squares)
  double median = 0;  // quantiles interpolate linearly between order statistics, as numpy does
  double q05 = 0;
  double q95 = 0;
  double dead_1e_3 = 0;   // share of values below 1e-3 in magnitude,
  double dead_1e_6 = 0;   //   below 1e-6,
  double exact_zero = 0;  //   equal to 0
  // (sum g^2)^2 / (N sum g^4): the share of values that carry the sum of squares. 1 when all are
  // equal, 1 / N when one is alone, 0 when all are 0, NaN when one is infinite.
  double live_share = 0;
};

// Sums are taken in the order given and scaled as in norm().
Summary summarise(std::span<const double> values);

// The quantile at 0 <= level <= 1 of ascending values, at least one: linear between order statistics,
// which stand at the levels 0, 1/(N-1), ..., 1. numpy.quantile's default, operation by operation.
double quantile(std::span<const double> ascending, double level);

// The statistics by the names they have in a log, in the order of its rows.
struct StatisticName {
  std::string_view name;
  double Summary::*value;
  bool of_magnitudes_only = false;  // of anything else it says nothing
};
inline constexpr std::array<StatisticName, 9> statistic_names{{
    {"mean", &Summary::mean},
    {"rms", &Summary::rms},
    {"median", &Summary::median},
    {"q05", &Summary::q05},
    {"q95", &Summary::q95},
    {"dead_1e-3", &Summary::dead_1e_3, true},
    {"dead_1e-6", &Summary::dead_1e_6, true},
    {"exact_zero", &Summary::exact_zero, true},
    {"live_share", &Summary::live_share, true},
}};

}  // namespace rootdk::probes
