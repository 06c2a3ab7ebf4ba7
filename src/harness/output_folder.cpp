#include "output_folder.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <system_error>
#include <unistd.h>

#include "rootdk/harness/atomic_file.hpp"
#include "rootdk/harness/folder_lock.hpp"
#include "rootdk/harness/noted_files.hpp"

namespace rootdk::harness {
namespace fs = std::filesystem;
namespace {

// What a start that was killed at once leaves behind.
bool is_trace(const fs::path& name) {
  return name == FolderLock::file_name || name == "config.toml.tmp";
}

bool is_unused(const fs::path& folder) {
  return std::all_of(
      fs::directory_iterator(folder), fs::directory_iterator(),
      [](const fs::directory_entry& entry) { return is_trace(entry.path().filename()); });
}

// Whether the folder's config.toml was written by a binary of this project, and by which one.
bool is_run(const fs::path& folder, const std::string& experiment) {
  const fs::path path = folder / "config.toml";
  if (!fs::is_regular_file(path)) return false;
  const std::string text = read_file(path);
  return text.starts_with(Config::toml_mark(experiment) + "\n");
}

void check_same_configuration(const Request& request) {
  const Config& config = request.config;
  const std::string path = (request.out / "config.toml").string();
  const Config found(config.experiment(), config.keys(), read_toml_file(path), {});
  const std::string key = first_difference(found, config);
  if (key.empty()) return;
  const auto list = [&](const Config& from) {
    std::string text;
    for (const std::string& value : from.words(key)) text += (text.empty() ? "" : ",") + value;
    return text.empty() ? std::string("nothing") : text;
  };
  throw RequestError(found.origin(key) + ": the run to resume has " + key + " = " + list(found) +
                     ", this configuration " + list(config) + " (" + config.origin(key) +
                     "); choose another --out or --overwrite it");
}

// Figures are noted to be removed with their run, but they are drawn anew at any time.
bool is_figure(const std::string& name) { return name.starts_with("figures/"); }

void check_nothing_is_lost(const fs::path& folder, std::vector<std::string> results) {
  const NotedFiles noted(folder);
  results.insert(results.end(), noted.names().begin(), noted.names().end());
  for (const std::string& name : results) {
    if (is_figure(name) || fs::is_regular_file(folder / name)) continue;
    throw RequestError("the finished run in " + folder.string() + " has lost its " + name +
                       "; only --overwrite computes it again");
  }
}

// The folder of parts is there before any result, and goes after meta.json has come: results without both
// are those of a finished run.
bool has_lost_meta(const fs::path& folder) {
  if (fs::exists(folder / "meta.json") || fs::exists(folder / "parts")) return false;
  const NotedFiles noted(folder);
  return std::any_of(noted.names().begin(), noted.names().end(), [&](const std::string& name) {
    return !is_figure(name) && fs::exists(folder / name);
  });
}

void check_nothing_is_in_the_way(const fs::path& folder, const std::vector<std::string>& results) {
  const NotedFiles noted(folder);
  for (const std::string& name : results) noted.expect_own(name);
}

// That the folder can be made as far as its parents go.
void check_parents(const fs::path& folder) {
  fs::path above = folder.parent_path();
  while (!above.empty() && !fs::exists(above)) above = above.parent_path();
  if (above.empty() || fs::is_directory(above)) return;
  throw RequestError("the output folder " + folder.string() + " cannot be made: " + above.string() +
                     " is a file");
}

void check(const Request& request, const std::vector<std::string>& results) {
  const fs::path& folder = request.out;
  if (!fs::exists(folder)) {
    if (!fs::is_symlink(fs::symlink_status(folder))) return check_parents(folder);
    throw RequestError("the output folder " + folder.string() + " is a link to " +
                       fs::read_symlink(folder).string() + ", which does not exist");
  }
  if (!fs::is_directory(folder)) {
    throw RequestError("the output folder " + folder.string() + " is a file");
  }
  if (is_unused(folder)) return;
  if (!is_run(folder, request.config.experiment())) {
    throw RequestError("the output folder " + folder.string() +
                       " holds something else than a run of " + request.config.experiment() +
                       "; choose another --out");
  }
  const bool is_finished = fs::exists(folder / "meta.json");
  if (!is_finished || request.overwrite) check_nothing_is_in_the_way(folder, results);
  if (request.overwrite) return;
  if (!request.resume) {
    if (request.dry_run) return;
    throw RequestError("the output folder " + folder.string() +
                       " holds a run already; go on with it (--resume), replace it (--overwrite) or"
                       " choose another --out");
  }
  check_same_configuration(request);
  if (is_finished || has_lost_meta(folder)) check_nothing_is_lost(folder, results);
}

// The folders that must be made for this one to be there, the innermost first.
std::vector<fs::path> missing_folders(const fs::path& folder) {
  std::vector<fs::path> missing;
  std::error_code ignored;
  for (fs::path above = folder; !above.empty() && !fs::exists(above, ignored);) {
    missing.push_back(above);
    above = above.parent_path();
  }
  return missing;
}

// A folder that somebody uses stays.
void remove_empty(const fs::path& folder) { ::rmdir(folder.c_str()); }

}  // namespace

std::vector<std::string> results_of(const std::vector<CsvTable>& tables,
                                    const std::vector<DerivedFile>& derived) {
  std::vector<std::string> names{"meta.json"};
  for (const CsvTable& table : tables) names.push_back(table.name + ".csv");
  for (const DerivedFile& file : derived) names.push_back(file.file);
  return names;
}

void check_output_folder(const Request& request, const std::vector<std::string>& results) {
  try {
    check(request, results);
  } catch (const fs::filesystem_error& error) {
    throw RequestError("the output folder " + request.out.string() +
                       " cannot be read: " + error.code().message());
  }
}

void make_output_folder(const fs::path& folder) {
  std::error_code error;
  const std::vector<fs::path> missing = missing_folders(folder);
  fs::create_directories(folder, error);
  if (error) {
    for (const fs::path& made : missing) remove_empty(made);
    throw RequestError("the output folder " + folder.string() +
                       " cannot be made: " + error.message());
  }
}

void remove_run(const fs::path& folder) {
  // Killed in between, this is an unfinished run: with a folder of parts, and with config.toml to the last.
  fs::create_directories(folder / "parts");
  fs::remove(folder / "meta.json");
  std::set<fs::path, std::greater<>> folders;  // what is inside comes before what it is in
  const NotedFiles noted(folder);
  for (const fs::path name : noted.names()) {
    for (const fs::path& path : {folder / name, folder / (name.string() + ".tmp")}) {
      if (!fs::is_directory(fs::symlink_status(path))) fs::remove(path);
    }
    for (fs::path in = name.parent_path(); !in.empty(); in = in.parent_path()) folders.insert(in);
  }
  for (const fs::path& made : folders) remove_empty(folder / made);
  fs::remove_all(folder / "parts");
  fs::remove(folder / NotedFiles::file_name);
  fs::remove(folder / (std::string(NotedFiles::file_name) + ".tmp"));
  fs::remove(folder / "config.toml");
}

}  // namespace rootdk::harness
