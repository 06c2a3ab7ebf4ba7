#include "attention_cost/attention_cost_rows.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>

#include "attention_cost/attention_cost_config.hpp"
#include "attention_cost/power_law.hpp"
#include "common/logged_table.hpp"
#include "rootdk/harness/number_text.hpp"

namespace rootdk {
namespace {

using theory::PartCounts;
using theory::Pass;

struct NamedPass {
  Pass pass;
  std::string_view name;
};
constexpr std::array<NamedPass, 2> passes{
    {{Pass::forward, "forward"}, {Pass::backward, "backward"}}};

// A part of the layer: its share of a count, and its time.
struct Part {
  std::string_view name;
  std::int64_t (*count)(const PartCounts&);
  Timing PassMeasured::*time;
};
constexpr std::array<Part, 3> parts{
    {{"layer", [](const PartCounts& split) { return split.layer(); }, &PassMeasured::layer},
     {"projections", [](const PartCounts& split) { return split.projections; },
      &PassMeasured::projections},
     {"attention", [](const PartCounts& split) { return split.attention; },
      &PassMeasured::attention}}};

const PassMeasured& measured(const LengthMeasured& length, Pass pass) {
  return length.passes[pass == Pass::forward ? 0 : 1];
}

std::int64_t bytes_exact(const LengthMeasured& length, Pass pass, const Part& part) {
  return part.count(numbers_held_of(length.path, pass, length.sizes)) *
         static_cast<std::int64_t>(length.bytes_of_number);
}

void write_costs(const LengthMeasured& length, harness::CsvRows& rows) {
  const theory::LayerSizes& sizes = length.sizes;
  for (const NamedPass& named : passes) {
    const Pass pass = named.pass;
    const PassMeasured& found = measured(length, pass);
    for (const Part& part : parts) {
      const Timing& time = found.*part.time;
      const auto append = [&](const auto& bytes) {
        rows.append(sizes.n_tokens, sizes.d_model, sizes.d_k, sizes.d_v, to_string(length.path),
                    named.name, part.name, part.count(operations_of(length.path, pass, sizes)),
                    bytes_exact(length, pass, part), bytes, time.fastest, time.median);
      };
      part.name == "layer" ? append(found.bytes) : append(harness::empty_cell);
    }
  }
}

// Slopes are asymptotic: shorter sequences are still in the regime of the projections.
class Slopes {
 public:
  Slopes(const std::vector<LengthMeasured>& lengths, harness::CsvRows& rows)
      : path_(to_string(lengths.front().path)),
        n_min_(4 * lengths.front().sizes.d_model),
        rows_(rows) {
    for (const LengthMeasured& length : lengths) {
      if (length.sizes.n_tokens >= n_min_) long_.push_back(&length);
    }
  }
  template <class Value>
  void write(const std::string& quantity, const Value& value) {
    std::vector<double> n, y;
    for (const LengthMeasured* length : long_) {
      n.push_back(static_cast<double>(length->sizes.n_tokens));
      y.push_back(static_cast<double>(value(*length)));
    }
    if (n.size() < 3) {
      rows_.append(path_, quantity, harness::empty_cell, harness::empty_cell, harness::empty_cell,
                   n_min_, n.size());
      return;
    }
    const PowerLaw law = fit_power_law(n, y);
    rows_.append(path_, quantity, law.slope, law.low, law.high, n_min_, n.size());
  }

 private:
  std::string_view path_;
  std::int64_t n_min_;
  std::vector<const LengthMeasured*> long_;
  harness::CsvRows& rows_;
};

void write_slopes(const std::vector<LengthMeasured>& lengths, harness::CsvRows& rows) {
  Slopes slopes(lengths, rows);
  for (const NamedPass& named : passes) {
    const Pass pass = named.pass;
    for (const Part& part : parts) {
      const std::string stem = std::string(part.name) + "_" + std::string(named.name);
      slopes.write(stem + "_flops_exact", [&](const LengthMeasured& length) {
        return part.count(operations_of(length.path, pass, length.sizes));
      });
      slopes.write(stem + "_seconds_median", [&](const LengthMeasured& length) {
        return (measured(length, pass).*part.time).median;
      });
      slopes.write(stem + "_bytes_exact",
                   [&](const LengthMeasured& length) { return bytes_exact(length, pass, part); });
      if (part.name != "layer") continue;
      slopes.write(stem + "_bytes_measured",
                   [&](const LengthMeasured& length) { return measured(length, pass).bytes; });
    }
  }
}

void write_crossovers(const std::vector<LengthMeasured>& lengths, harness::CsvRows& rows) {
  for (const auto& [pass, pass_name] : passes) {
    std::vector<double> n, ratio;
    for (const LengthMeasured& length : lengths) {
      const PassMeasured& found = measured(length, pass);
      n.push_back(static_cast<double>(length.sizes.n_tokens));
      ratio.push_back(found.attention.median / found.projections.median);
    }
    const AttentionKind path = lengths.front().path;
    rows.append(to_string(path), pass_name, "flops_exact",
                crossover_of(path, pass, lengths.front().sizes));
    const double seconds = last_rise_through_one(n, ratio);
    std::isnan(seconds)
        ? rows.append(to_string(path), pass_name, "seconds_median", harness::empty_cell)
        : rows.append(to_string(path), pass_name, "seconds_median", seconds);
  }
}

// Four digits of a number are enough to read; words are left as they are.
std::string readable(const std::string& field) {
  const std::optional<double> number = harness::parse_real(field);
  if (!number) return field;
  std::ostringstream text;
  text << std::setprecision(4) << *number;
  return text.str();
}

void print_table(const std::filesystem::path& csv, std::string_view heading) {
  const LoggedTable table = read_logged_table(csv);
  std::vector<std::vector<std::string>> lines{table.columns};
  for (const LoggedTable::Row& row : table.rows) {
    std::vector<std::string>& line = lines.emplace_back();
    for (const std::string& column : table.columns) line.push_back(readable(row.at(column)));
  }
  std::vector<std::size_t> widths(table.columns.size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::cout << heading << '\n' << std::left;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      std::cout << std::setw(static_cast<int>(widths[i]) + 2) << line[i];
    }
    std::cout << '\n';
  }
}

}  // namespace

std::vector<harness::CsvTable> attention_cost_tables() {
  return {{.name = "attention_cost",
           .columns = {"n_tokens", "d_model", "d_k", "d_v", "path", "pass", "part", "flops_exact",
                       "bytes_exact", "bytes_measured", "seconds_fastest", "seconds_median"}},
          {.name = "slopes",
           .columns = {"path", "quantity", "slope", "ci_low", "ci_high", "n_min", "points"}},
          {.name = "crossover", .columns = {"path", "pass", "measure", "n_crossover"}}};
}

void write_rows(const std::vector<LengthMeasured>& lengths, harness::CellOutput& out) {
  for (const LengthMeasured& length : lengths) write_costs(length, out.rows("attention_cost"));
  for (const Named<AttentionKind>& row : attention_kind_table()) {
    std::vector<LengthMeasured> on_path;
    std::copy_if(lengths.begin(), lengths.end(), std::back_inserter(on_path),
                 [&](const LengthMeasured& length) { return length.path == row.value; });
    if (on_path.empty()) continue;
    write_slopes(on_path, out.rows("slopes"));
    write_crossovers(on_path, out.rows("crossover"));
  }
}

void print_summary(const std::filesystem::path& run) {
  print_table(run / "slopes.csv", "how a quantity grows, as a power of n:");
  print_table(run / "crossover.csv", "attention costs more than the projections from this n on:");
}

}  // namespace rootdk
