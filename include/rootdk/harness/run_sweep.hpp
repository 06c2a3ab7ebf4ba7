#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "rootdk/harness/cell.hpp"
#include "rootdk/harness/progress.hpp"
#include "rootdk/harness/run_directory.hpp"

namespace rootdk::harness {

// Where a running cell leaves its results, and how it says that it is alive. Used by one thread.
class CellOutput {
 public:
  // `work` is the cell's share of the whole sweep, `steps` how many advance() will count (0:
  // unknown).
  CellOutput(const CellPoint& point, const std::vector<CsvTable>& tables,
             const RunDirectory& directory, SweepCounters& counters, double work,
             std::uint64_t steps);

  // The rows of this cell in one table. Throws std::logic_error when there is no such table.
  CsvRows& rows(std::string_view table);
  // A file of its own below the run directory, there before the cell counts as finished.
  void write_file(const std::filesystem::path& path, std::string_view bytes);
  // Counts steps done. Throws Interrupted when the sweep is to stop: let it pass through.
  void advance(std::uint64_t steps = 1);

  // Writes the part of this cell: from here on it is finished. Called by run_sweep.
  void finish();

 private:
  std::size_t number_;
  const std::vector<CsvTable>* tables_;
  std::vector<CsvRows> rows_;       // in the order of the tables
  std::vector<std::string> files_;  // that write_file made
  const RunDirectory* directory_;
  SweepCounters* counters_;
  double work_per_step_;
  double work_left_;  // not counted yet
};

struct SweepOptions {
  Facts facts{};  // for meta.json; a cell finished under other facts is computed again
  std::vector<DerivedFile> derived{};              // made of the tables when all cells are finished
  std::uint64_t steps_per_cell = 0;                // what a cell counts with advance(), if known
  std::function<double(const CellPoint&)> cost{};  // in any unit; the costliest cells start first
};

// Computes one cell. It runs on some thread, next to others: it may depend on its point only.
using CellBody = std::function<void(const CellPoint&, CellOutput&)>;

// Computes the cells on request.threads threads and leaves config.toml, one CSV a table and
// meta.json in request.out: the same bytes in every CSV at any number of threads, and after any
// interruption and --resume. With --dry-run prints the configuration and the number of cells and
// creates nothing.
//
// Throws RequestError when the output folder is in the way; Interrupted after SIGINT or SIGTERM;
// what a cell threw (the first that did; the others are stopped). Finished cells stay and --resume
// goes on.
void run_sweep(const Request& request, const std::vector<CsvTable>& tables,
               const std::vector<CellPoint>& cells, const SweepOptions& options,
               const CellBody& body);

}  // namespace rootdk::harness
