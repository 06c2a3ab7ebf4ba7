#include "rootdk/harness/run_directory.hpp"

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

std::vector<std::string> names_of(const std::vector<CsvTable>& tables) {
  std::vector<std::string> names;
  for (const CsvTable& table : tables) names.push_back(table.name);
  return names;
}

}  // namespace

RunDirectory::RunDirectory(const Request& request, std::vector<CsvTable> tables)
    : folder_(request.out),
      tables_(std::move(tables)),
      experiment_(request.config.experiment()),
      started_(utc_time()) {
  check_output_folder(request);  // before anything is made
  finished_ = request.resume && !request.overwrite && fs::exists(folder_ / "meta.json") &&
              !fs::exists(folder_ / "parts");
  if (finished_) return;  // it is only read: that takes neither a lock nor the right to write
  make_output_folder(folder_);
  lock_ = std::make_unique<FolderLock>(folder_);
  check_output_folder(request);  // again: it may have changed while nobody held it
  if (request.overwrite) remove_run(folder_, names_of(tables_));
  finished_ = fs::exists(folder_ / "meta.json");
  if (finished_) {
    fs::remove_all(folder_ / "parts");  // killed between the last two steps of finish()
  } else if (!fs::exists(folder_ / "config.toml")) {
    write_file_atomically(folder_ / "config.toml", request.config.toml());
  }
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
  return rows_of_part(read_file(path), tables_) ? PartState::whole : PartState::damaged;
}

void RunDirectory::write_part(std::size_t cell,
                              const std::vector<std::string_view>& rows_of_tables) const {
  write_file_atomically(part_path(cell), part_bytes(tables_, rows_of_tables));
}

void RunDirectory::remove_part(std::size_t cell) const { fs::remove_all(part_path(cell)); }

void RunDirectory::append_part(std::size_t cell, std::vector<std::string>& tables) const {
  const std::string bytes = read_file(part_path(cell));
  const auto rows = rows_of_part(bytes, tables_);
  if (!rows) {
    throw std::runtime_error("the part " + part_path(cell).string() +
                             " was damaged while the run went on; --resume computes it again");
  }
  for (std::size_t t = 0; t < tables.size(); ++t) tables[t] += (*rows)[t];
}

void RunDirectory::write_file(const fs::path& path, std::string_view bytes) const {
  const fs::path inside = path.lexically_normal();
  if (!inside.has_filename() || inside == "." || inside.is_absolute() || *inside.begin() == "..") {
    throw std::logic_error(path.string() + " is not a path below the run directory");
  }
  if (!inside.has_parent_path()) {
    const std::lock_guard lock(noting_);
    note_file(folder_, inside.string());
  }
  write_file_atomically(folder_ / inside, bytes);
}

void RunDirectory::finish(std::size_t cells, const Facts& facts) {
  std::vector<std::string> tables;
  for (const CsvTable& table : tables_) tables.push_back(csv_header(all_columns(table)));
  for (std::size_t cell = 0; cell < cells; ++cell) append_part(cell, tables);
  for (std::size_t t = 0; t < tables.size(); ++t) {
    write_file_atomically(folder_ / (tables_[t].name + ".csv"), tables[t]);
  }
  Facts lines{{"experiment", experiment_}, {"version", std::string(version)}};
  lines.insert(lines.end(), facts.begin(), facts.end());
  lines.insert(lines.end(),
               {{"host", host_name()}, {"started", started_}, {"finished", utc_time()}});
  write_file_atomically(folder_ / "meta.json", json_object(lines));
  fs::remove_all(folder_ / "parts");
}

}  // namespace rootdk::harness
