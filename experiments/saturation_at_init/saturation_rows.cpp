#include "saturation_at_init/saturation_rows.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "rootdk/attention/score_rule.hpp"
#include "rootdk/theory/saturation_law.hpp"
#include "rootdk/training/initial_queries.hpp"
#include "saturation_at_init/estimates.hpp"

namespace rootdk {
namespace {

constexpr Index shown_queries = 8, shown_weights = 64;

// What the queries of one scale came to.
struct ScaleSample {
  std::array<std::vector<double>, measured_quantities.size()> values;  // a value a query
  std::vector<std::array<double, 4>> score_moments;

  void reserve(std::size_t queries) {
    for (auto& each : values) each.reserve(queries);
    score_moments.reserve(queries);
  }
  void add(const QueryMeasurement& query, const std::array<double, 4>& moments) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i].push_back(query.*measured_quantities[i].value);
    }
    score_moments.push_back(moments);
  }
};

// Laws come from quadrature with the mathematical library of the system, whose last bits vary: the
// log holds the nine digits that do not.
double nine_digits(double value) {
  std::array<char, 32> text;
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::scientific, 8)
          .ptr;
  std::from_chars(text.data(), end, value);
  return value;
}

class StatisticsWriter {
 public:
  StatisticsWriter(const std::string& scale, const theory::SaturationLaw& law,
                   harness::CellOutput& out)
      : scale_(scale), law_(law), rows_(out.rows("statistics")) {}

  void write(std::string_view quantity, const Estimate& estimate) {
    const std::optional<double> law = law_(quantity, estimate.statistic);
    const auto append = [&](const auto& expected) {
      rows_.append(scale_, quantity, estimate.statistic, estimate.value, estimate.standard_error,
                   expected);
    };
    law ? append(nine_digits(*law)) : append(harness::empty_cell);
  }

 private:
  const std::string& scale_;
  const theory::SaturationLaw& law_;
  harness::CsvRows& rows_;
};

void write_statistics(ScaleSample& sample, StatisticsWriter writer) {
  for (const Estimate& estimate : score_estimates(sample.score_moments)) {
    writer.write("logit", estimate);
  }
  for (std::size_t i = 0; i < measured_quantities.size(); ++i) {
    const auto& [name, member, kind] = measured_quantities[i];
    if (kind == QuantityKind::indicator) {
      writer.write(name, share(sample.values[i]));
      continue;
    }
    for (const Estimate& estimate : estimates(sample.values[i], kind == QuantityKind::magnitude)) {
      writer.write(name, estimate);
    }
  }
}

}  // namespace

std::vector<harness::CsvTable> saturation_tables() {
  return {{.name = "statistics",
           .keys = {"n_tokens", "d_k"},
           .columns = {"scale", "quantity", "statistic", "measured", "standard_error", "theory"}},
          {.name = "attention_rows",
           .keys = {"n_tokens", "d_k"},
           .columns = {"scale", "query", "rank", "weight"}}};
}

template <class T>
void measure_cell(const SaturationCell& cell, harness::CellOutput& out) {
  std::vector<double> factors;
  for (const std::string& scale : cell.scales)
    factors.push_back(score_rule(scale).factor(cell.d_k));
  std::vector<ScaleSample> samples(factors.size());
  for (ScaleSample& sample : samples) sample.reserve(static_cast<std::size_t>(cell.n_queries));

  InitialQueries<T> queries(cell.n_tokens, cell.d_k, cell.seed);
  for (Index query = 0; query < cell.n_queries; ++query) {
    queries.draw(static_cast<std::uint64_t>(query));
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const QueryMeasurement measurement = queries.measure(factors[i]);
      samples[i].add(measurement, queries.score_moments());
      if (query >= shown_queries) continue;
      const std::span<const double> weights = queries.sorted_weights();
      for (Index rank = 0; rank < std::min(cell.n_tokens, shown_weights); ++rank) {
        out.rows("attention_rows")
            .append(cell.scales[i], query, rank + 1, weights[static_cast<std::size_t>(rank)]);
      }
    }
    out.advance();
  }
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const theory::SaturationLaw law(cell.n_tokens, cell.d_k, factors[i]);
    write_statistics(samples[i], StatisticsWriter(cell.scales[i], law, out));
  }
}
template void measure_cell<float>(const SaturationCell&, harness::CellOutput&);
template void measure_cell<double>(const SaturationCell&, harness::CellOutput&);

}  // namespace rootdk
