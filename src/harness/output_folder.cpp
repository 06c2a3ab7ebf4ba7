#include "output_folder.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "rootdk/harness/atomic_file.hpp"
#include "rootdk/harness/folder_lock.hpp"

namespace rootdk::harness {
namespace fs = std::filesystem;
namespace {

constexpr std::array<std::string_view, 4> made_folders = {"parts", "weights", "batches", "figures"};
constexpr std::string_view notes = ".files";  // a line a file, by note_file

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

void check(const Request& request) {
  const fs::path& folder = request.out;
  if (!fs::exists(folder)) return;
  if (!fs::is_directory(folder)) {
    throw RequestError("the output folder " + folder.string() + " is a file");
  }
  if (is_unused(folder)) return;
  if (!is_run(folder, request.config.experiment())) {
    throw RequestError("the output folder " + folder.string() +
                       " holds something else than a run of " + request.config.experiment() +
                       "; choose another --out");
  }
  if (request.overwrite) return;
  if (!request.resume) {
    throw RequestError("the output folder " + folder.string() +
                       " holds a run already; go on with it (--resume), replace it (--overwrite) or"
                       " choose another --out");
  }
  check_same_configuration(request);
}

}  // namespace

void check_output_folder(const Request& request) {
  try {
    check(request);
  } catch (const fs::filesystem_error& error) {
    throw RequestError("the output folder " + request.out.string() +
                       " cannot be read: " + error.code().message());
  }
}

void make_output_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw RequestError("the output folder " + folder.string() +
                       " cannot be made: " + error.message());
  }
}

void remove_run(const fs::path& folder, const std::vector<std::string>& tables) {
  // meta.json goes first and config.toml last: killed in between, this is an unfinished run.
  fs::remove(folder / "meta.json");
  for (const std::string_view made : made_folders) fs::remove_all(folder / made);
  std::vector<std::string> files;
  for (const std::string& table : tables) files.push_back(table + ".csv");
  std::ifstream noted(folder / notes);
  for (std::string name; std::getline(noted, name);) files.push_back(name);
  for (const std::string& name : files) {
    if (fs::path(name).has_parent_path()) continue;  // not a line that note_file wrote
    fs::remove(folder / name);
    fs::remove(folder / (name + ".tmp"));
  }
  fs::remove(folder / notes);
  fs::remove(folder / "config.toml");
}

void note_file(const fs::path& folder, const std::string& name) {
  std::ofstream noted(folder / notes, std::ios::app);
  noted << name << '\n' << std::flush;
  if (!noted) throw std::runtime_error((folder / notes).string() + " cannot be written");
}

}  // namespace rootdk::harness
