#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rootdk/harness/csv_log.hpp"
#include "rootdk/harness/folder_lock.hpp"
#include "rootdk/harness/noted_files.hpp"
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

// The place of the table of this name. Throws std::logic_error when there is none.
std::size_t table_number(const std::vector<CsvTable>& tables, std::string_view name);

// A file made of a finished table: a page to read, say.
struct DerivedFile {
  std::string file{};   // its name, in the folder itself
  std::string table{};  // the name of the table
  std::function<std::string(const std::string& csv)> text{};
};

// What there is of a finished cell: damaged also when a file that it wrote is gone; foreign when a
// program of other facts computed it, which may have other last bits.
enum class PartState { missing, whole, damaged, foreign };

// The folder of a run, held for this process from opening to destruction. Its life:
//   config.toml         written first
//   .files              notes every file below, each before it is written
//   parts/cell_000012   one finished cell: its rows of every table, and a checksum of the facts. The
//                       folder is there from the beginning until meta.json is.
//   <table>.csv         the parts joined in the order of the cells
//   derived files       made of the tables
//   meta.json           written last: its presence says that the run is finished
// Every file is complete or absent, so a run may be killed at any moment and resumed.
class RunDirectory {
 public:
  // Opens request.out and makes it where it is missing. Throws RequestError, having changed
  // nothing, when it is not empty (without --resume or --overwrite), holds something else than a
  // run of this experiment, or a file that the run would overwrite without having made it, is held
  // by another process, or, with --resume, is a run of another configuration or a finished one
  // that lost a file. `facts`: what the results hang on beside the configuration, for meta.json.
  RunDirectory(const Request& request, std::vector<CsvTable> tables, Facts facts = {},
               std::vector<DerivedFile> derived = {});

  // The run was complete when it was opened; there is nothing to do.
  bool finished() const { return finished_; }
  PartState part_state(std::size_t cell) const;
  // Removes a damaged or foreign part, so that its cell counts as not computed.
  void remove_part(std::size_t cell) const;

  // Safe to call from several threads. Throw std::runtime_error when the disk refuses.
  // `files`: what write_file returned for this cell.
  void write_part(std::size_t cell, const std::vector<std::string_view>& rows_of_tables,
                  const std::vector<std::string>& files = {}) const;
  // A file of any other kind, below the folder; returns its path as it is noted. Throws
  // std::logic_error for a path that leads outside, RequestError when a file is there that the run
  // has not made.
  std::string write_file(const std::filesystem::path& path, std::string_view bytes) const;

  // Joins the parts of `cells` cells into the tables, makes what is derived from them, writes
  // meta.json, removes the parts.
  // Throws std::runtime_error when a part is missing or damaged.
  void finish(std::size_t cells);

 private:
  std::filesystem::path part_path(std::size_t cell) const;
  // Appends the rows of a cell to the text of each table.
  void append_part(std::size_t cell, std::vector<std::string>& tables) const;

  std::filesystem::path folder_;
  std::vector<CsvTable> tables_;
  Facts facts_;
  std::uint64_t facts_checksum_;
  std::vector<DerivedFile> derived_;
  std::string experiment_;
  std::string started_;  // a time
  std::unique_ptr<FolderLock> lock_;
  std::unique_ptr<NotedFiles> noted_;  // none for a finished run
  bool finished_ = false;
};

}  // namespace rootdk::harness
