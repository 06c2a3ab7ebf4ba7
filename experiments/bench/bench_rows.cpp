#include "bench/bench_rows.hpp"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <set>
#include <sstream>

#include "common/logged_table.hpp"
#include "rootdk/harness/number_text.hpp"

namespace rootdk {
namespace {

constexpr double micro = 1e6;

using Rows = std::vector<LoggedTable::Row>;

std::string with_digits(double number, int digits) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(digits) << number;
  return text.str();
}

std::string shown_number(const std::string& field, int digits, double unit = 1) {
  const std::optional<double> number = harness::parse_real(field);
  return number ? with_digits(*number / unit, digits) : "-";
}

void print_columns(const std::vector<std::string>& fields) {
  std::cout << "  " << std::left << std::setw(24) << fields.front() << std::right;
  for (std::size_t i = 1; i < fields.size(); ++i) std::cout << std::setw(14) << fields[i];
  std::cout << '\n';
}

void print_steps(const Rows& rows) {
  std::cout << "one training step, microseconds:\n";
  print_columns({"shape", "ours", "peer", "peer / ours", "products"});
  double logarithms = 0, least = INFINITY, count = 0, largest_share = 0;
  for (const LoggedTable::Row& row : rows) {
    print_columns({row.at("batch_size") + "x" + row.at("n_tokens") + "x" + row.at("d_model") + "x" +
                       row.at("d_k"),
                   shown_number(row.at("ours_us"), 1), shown_number(row.at("peer_us"), 1),
                   shown_number(row.at("ratio"), 2), shown_number(row.at("bound_share"), 2)});
    largest_share = std::max(largest_share, logged_number(row, "bound_share"));
    if (const std::optional<double> ratio = harness::parse_real(row.at("ratio"))) {
      logarithms += std::log(*ratio);
      least = std::min(least, *ratio);
      ++count;
    }
  }
  if (count > 0) {
    std::cout << "peer / ours: geometric mean " << with_digits(std::exp(logarithms / count), 2)
              << ", least " << with_digits(least, 2) << '\n';
  }
  if (largest_share > 1) {
    std::cout
        << "a part takes longer than the whole (products above 1): something else kept the machine"
           " busy; run this again when it is quiet\n";
  }
}

void print_no_peer(const harness::Config& config, const std::string& peer) {
  if (!config.boolean("peer")) {
    std::cout << "the peer was left out: peer = false\n";
  } else if (peer.empty()) {
    std::cout << "this program was built without a peer: install libtorch-dev and build again\n";
  }
}

void print_cores(const Rows& rows, const harness::Config& config) {
  std::cout << "attention core, forward and backward, d_k = d_v = " << core_width << ":\n";
  print_columns({"path", "n", "milliseconds", "MiB"});
  std::set<std::pair<std::string, std::string>> measured;
  for (const LoggedTable::Row& row : rows) {
    const std::string &path = row.at("path"), &n = row.at("n_tokens");
    print_columns({path, n, shown_number(row.at("us"), 2, 1e3),
                   shown_number(row.at("peak_bytes"), 1, 0x1p20)});
    measured.emplace(path, n);
  }
  for (const CorePoint& point : core_points(config)) {
    const std::string path(point.path->name), n = std::to_string(point.n_tokens);
    if (measured.contains({path, n})) continue;
    std::cout << "  left out: " << path << " at n = " << n << " would take "
              << with_digits(point.bytes / 0x1p20, 0) << " MiB, over "
              << with_digits(100 * largest_memory_share, 0) << " % of the memory available\n";
  }
}

}  // namespace

std::vector<harness::CsvTable> bench_tables() {
  return {{.name = "bench",
           .columns = {"batch_size", "n_tokens", "d_model", "d_k", "ours_us", "peer_us", "ratio",
                       "bound_share"}},
          {.name = "streaming", .columns = {"n_tokens", "d_k", "path", "us", "peak_bytes"}}};
}

void write_step(const StepShape& shape, const StepTimes& times, harness::CsvRows& bench) {
  std::optional<double> peer_us, ratio;
  if (times.peer) {
    peer_us = micro * *times.peer;
    ratio = *times.peer / times.ours;
  }
  bench.append(shape.batch_size, shape.n_tokens, shape.d_model, shape.d_k, micro * times.ours,
               peer_us, ratio, times.products / times.ours);
}

void write_core(const CorePoint& point, const CoreCost& cost, harness::CsvRows& streaming) {
  streaming.append(point.n_tokens, core_width, point.path->name, micro * cost.seconds, cost.bytes);
}

void print_bench(const std::filesystem::path& run, const harness::Config& config,
                 const std::string& peer) {
  print_steps(read_logged_table(run / "bench.csv").rows);
  print_no_peer(config, peer);
  if (config.boolean("long_sequences")) {
    print_cores(read_logged_table(run / "streaming.csv").rows, config);
  }
}

}  // namespace rootdk
