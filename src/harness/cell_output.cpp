#include <algorithm>

#include "rootdk/harness/run_sweep.hpp"

namespace rootdk::harness {
namespace {

// The fields a table begins with, the same in every row of a cell.
std::string key_fields(const CellPoint& point, const CsvTable& table) {
  std::string text;
  CsvRow row(text);
  for (const std::string& key : table.keys) {
    if (key == "run") {
      row.add(point.number);
    } else {
      row.add(std::string_view(point.config.word(key)));
    }
  }
  return text;
}

}  // namespace

CellOutput::CellOutput(const CellPoint& point, const std::vector<CsvTable>& tables,
                       const RunDirectory& directory, SweepCounters& counters, double work,
                       std::uint64_t steps)
    : number_(point.number),
      tables_(&tables),
      directory_(&directory),
      counters_(&counters),
      work_per_step_(steps > 0 ? work / static_cast<double>(steps) : 0),
      work_left_(work) {
  for (const CsvTable& table : tables) {
    rows_.emplace_back(table.columns.size(), key_fields(point, table), table.keys.size());
  }
}

CsvRows& CellOutput::rows(std::string_view table) { return rows_[table_number(*tables_, table)]; }

void CellOutput::write_file(const std::filesystem::path& path, std::string_view bytes) {
  files_.push_back(directory_->write_file(path, bytes));
}

void CellOutput::advance(std::uint64_t steps) {
  if (counters_->stop) throw Interrupted("stopped");
  counters_->steps += steps;
  const double work = std::min(work_left_, work_per_step_ * static_cast<double>(steps));
  work_left_ -= work;
  counters_->work += work;
}

void CellOutput::finish() {
  std::vector<std::string_view> rows;
  for (const CsvRows& table : rows_) rows.push_back(table.text());
  directory_->write_part(number_, rows, files_);
  counters_->work += work_left_;
  ++counters_->cells;
}

}  // namespace rootdk::harness
