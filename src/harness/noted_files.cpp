#include "rootdk/harness/noted_files.hpp"

#include <sstream>
#include <stdexcept>

#include "rootdk/harness/atomic_file.hpp"
#include "rootdk/harness/error.hpp"

namespace rootdk::harness {
namespace fs = std::filesystem;
namespace {

bool is_below(const fs::path& path) {
  return path.has_filename() && path != "." && path.is_relative() && *path.begin() != ".." &&
         path.native().find('\n') == std::string::npos;
}

}  // namespace

std::string path_below(const fs::path& path) {
  const fs::path plain = path.lexically_normal();
  if (!is_below(plain)) {
    throw std::logic_error(path.string() + " is not a path below the run directory");
  }
  return plain.string();
}

NotedFiles::NotedFiles(fs::path folder) : folder_(std::move(folder)) {
  const fs::path path = folder_ / file_name;
  if (!fs::is_regular_file(path)) return;
  std::string text = read_file(path);
  whole_ = text.ends_with('\n');
  text.resize(text.rfind('\n') + 1);  // npos + 1 is 0
  std::istringstream lines(text);
  for (std::string name; std::getline(lines, name);) {
    if (is_below(name)) names_.insert(name);
  }
}

void NotedFiles::expect_own(const std::string& name) const {
  if (names_.count(name) > 0 || !fs::exists(fs::symlink_status(folder_ / name))) return;
  throw RequestError((folder_ / name).string() +
                     " is not of the run in this folder, which would overwrite it; move it away"
                     " or choose another --out");
}

void NotedFiles::add(const std::string& name) {
  const std::lock_guard lock(adding_);
  if (names_.count(name) > 0) return;
  expect_own(name);
  if (whole_) {
    whole_ = false;  // until it is written: half a line must not grow into another name
    append_to_file(folder_ / file_name, name + "\n");
  } else {
    std::string lines;
    for (const std::string& noted : names_) lines += noted + "\n";
    write_file_atomically(folder_ / file_name, lines + name + "\n");
  }
  whole_ = true;
  names_.insert(name);
}

}  // namespace rootdk::harness
