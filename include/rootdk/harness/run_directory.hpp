#pragma once
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rootdk/harness/csv_log.hpp"
#include "rootdk/harness/folder_lock.hpp"
#include "rootdk/harness/request.hpp"

namespace rootdk::harness {

// A line of meta.json: "compiler", "GNU 12.2.0".
using Facts = std::vector<std::pair<std::string, std::string>>;

// A table a run leaves behind as <name>.csv. The columns of `keys` come first and are filled in by
// the harness: names of keys, or `run` for the number of the cell.
struct CsvTable {
  std::string name{};
  std::vector<std::string> keys{};
  std::vector<std::string> columns{};
};

// What there is of a finished cell.
enum class PartState { missing, whole, damaged };

// The folder of a run, held for this process from opening to destruction. Its life:
//   config.toml         written first
//   parts/cell_000012   one finished cell: its rows of every table
//   <table>.csv         the parts joined in the order of the cells
//   meta.json           written last: its presence says that the run is finished
// Every file is complete or absent, so a run may be killed at any moment and resumed.
class RunDirectory {
 public:
  // Opens request.out and makes it where it is missing. Throws RequestError, having changed
  // nothing, when it is not empty (without --resume or --overwrite), holds something else than a
  // run of this experiment, is held by another process, or, with --resume, is a run of another
  // configuration.
  RunDirectory(const Request& request, std::vector<CsvTable> tables);

  // The run was complete when it was opened; there is nothing to do.
  bool finished() const { return finished_; }
  PartState part_state(std::size_t cell) const;
  // Removes a damaged part, so that its cell counts as not computed.
  void remove_part(std::size_t cell) const;

  // Safe to call from several threads. Throw std::runtime_error when the disk refuses.
  void write_part(std::size_t cell, const std::vector<std::string_view>& rows_of_tables) const;
  // A file of any other kind, below the folder. Throws std::logic_error for a path that leads
  // outside.
  void write_file(const std::filesystem::path& path, std::string_view bytes) const;

  // Joins the parts of `cells` cells into the tables, writes meta.json, removes the parts.
  // Throws std::runtime_error when a part is missing or damaged.
  void finish(std::size_t cells, const Facts& facts);

 private:
  std::filesystem::path part_path(std::size_t cell) const;
  // Appends the rows of a cell to the text of each table.
  void append_part(std::size_t cell, std::vector<std::string>& tables) const;

  std::filesystem::path folder_;
  std::vector<CsvTable> tables_;
  std::string experiment_;
  std::string started_;  // a time
  std::unique_ptr<FolderLock> lock_;
  mutable std::mutex noting_;  // of files that write_file makes in the folder itself
  bool finished_ = false;
};

}  // namespace rootdk::harness
