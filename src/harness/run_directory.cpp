#include "rootdk/harness/run_directory.hpp"

#include <algorithm>
#include <stdexcept>

#include "output_folder.hpp"
#include "part_file.hpp"
#include "rootdk/harness/atomic_file.hpp"
#include "rootdk/harness/meta.hpp"
#include "rootdk/harness/version.hpp"

namespace rootdk::harness {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> all_columns(const CsvTable& table) {
  std::vector<std::string> columns = table.keys;
  columns.insert(columns.end(), table.columns.begin(), table.columns.end());
  return columns;
}

// The part in these bytes, if it is whole and the files of its cell are there.
std::optional<Part> whole_part(const fs::path& folder, std::string_view bytes, std::size_t cell,
                               const std::vector<CsvTable>& tables) {
  std::optional<Part> part = parse_part(bytes, cell, tables);
  const auto is_there = [&](const std::string& file) { return fs::is_regular_file(folder / file); };
  if (part && !std::all_of(part->files.begin(), part->files.end(), is_there)) part.reset();
  return part;
}

}  // namespace

std::size_t table_number(const std::vector<CsvTable>& tables, std::string_view name) {
  for (std::size_t t = 0; t < tables.size(); ++t) {
    if (tables[t].name == name) return t;
  }
  throw std::logic_error("no table " + std::string(name));
}

RunDirectory::RunDirectory(const Request& request, std::vector<CsvTable> tables, Facts facts,
                           std::vector<DerivedFile> derived)
    : folder_(request.out),
      tables_(std::move(tables)),
      facts_(std::move(facts)),
      facts_checksum_(checksum(json_object(facts_))),
      derived_(std::move(derived)),
      experiment_(request.config.experiment()),
      started_(utc_time()) {
  const std::vector<std::string> results = results_of(tables_, derived_);
  check_output_folder(request, results);  // before anything is made
  finished_ = request.resume && !request.overwrite && fs::exists(folder_ / "meta.json") &&
              !fs::exists(folder_ / "parts");
  if (finished_) return;  // it is only read: that takes neither a lock nor the right to write
  make_output_folder(folder_);
  lock_ = std::make_unique<FolderLock>(folder_);
  check_output_folder(request, results);  // again: it may have changed while nobody held it
  if (request.overwrite) remove_run(folder_);
  finished_ = fs::exists(folder_ / "meta.json");
  if (finished_) {
    fs::remove_all(folder_ / "parts");  // killed between the last two steps of finish()
    return;
  }
  if (!fs::exists(folder_ / "config.toml")) {
    write_file_atomically(folder_ / "config.toml", request.config.toml());
  }
  fs::create_directories(folder_ / "parts");
  noted_ = std::make_unique<NotedFiles>(folder_);
  for (const std::string& name : results) noted_->add(name);
}

fs::path RunDirectory::part_path(std::size_t cell) const {
  std::string number = std::to_string(cell);
  number.insert(0, number.size() < 6 ? 6 - number.size() : 0, '0');
  return folder_ / "parts" / ("cell_" + number);
}

PartState RunDirectory::part_state(std::size_t cell) const {
  const fs::path path = part_path(cell);
  if (!fs::exists(path)) return PartState::missing;
  if (!fs::is_regular_file(path)) return PartState::damaged;
  const std::string bytes = read_file(path);
  const auto part = whole_part(folder_, bytes, cell, tables_);
  if (!part) return PartState::damaged;
  return part->facts == facts_checksum_ ? PartState::whole : PartState::foreign;
}

void RunDirectory::write_part(std::size_t cell, const std::vector<std::string_view>& rows_of_tables,
                              const std::vector<std::string>& files) const {
  write_file_atomically(part_path(cell),
                        part_bytes({cell, facts_checksum_, files, rows_of_tables}, tables_));
}

void RunDirectory::remove_part(std::size_t cell) const { fs::remove_all(part_path(cell)); }

void RunDirectory::append_part(std::size_t cell, std::vector<std::string>& tables) const {
  const std::string bytes = read_file(part_path(cell));
  const auto part = whole_part(folder_, bytes, cell, tables_);
  if (!part) {
    throw std::runtime_error("the part " + part_path(cell).string() +
                             " was damaged while the run went on; --resume computes it again");
  }
  for (std::size_t t = 0; t < tables.size(); ++t) tables[t] += part->rows[t];
}

std::string RunDirectory::write_file(const fs::path& path, std::string_view bytes) const {
  std::string name = path_below(path);
  noted_->add(name);
  write_file_atomically(folder_ / name, bytes);
  return name;
}

void RunDirectory::finish(std::size_t cells) {
  std::vector<std::string> tables;
  for (const CsvTable& table : tables_) tables.push_back(csv_header(all_columns(table)));
  for (std::size_t cell = 0; cell < cells; ++cell) append_part(cell, tables);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    write_file_atomically(folder_ / (tables_[t].name + ".csv"), tables[t]);
  }
  for (const DerivedFile& file : derived_) {
    const std::size_t t = table_number(tables_, file.table);
    write_file_atomically(folder_ / file.file, file.text(tables[t]));
  }
  Facts lines{{"experiment", experiment_}, {"version", std::string(version)}};
  lines.insert(lines.end(), facts_.begin(), facts_.end());
  lines.insert(lines.end(),
               {{"host", host_name()}, {"started", started_}, {"finished", utc_time()}});
  write_file_atomically(folder_ / "meta.json", json_object(lines));
  fs::remove_all(folder_ / "parts");
}

}  // namespace rootdk::harness
