#pragma once
#include <filesystem>
#include <mutex>
#include <set>
#include <string>

namespace rootdk::harness {

// The files that a run makes below its folder, one path a line in the file .files. Each is noted
// before it is written: what stands here may be overwritten and removed, anything else is not the
// run's own.
class NotedFiles {
 public:
  static constexpr const char* file_name = ".files";

  // Reads what has been noted; a last line that was cut off does not count.
  explicit NotedFiles(std::filesystem::path folder);

  const std::set<std::string>& names() const { return names_; }
  // Throws RequestError when a file of this name is there and was not noted.
  void expect_own(const std::string& name) const;
  // Notes a path below the folder, on the disk when this returns; safe to call from several
  // threads. Throws as expect_own does, and std::runtime_error when the disk refuses.
  void add(const std::string& name);

 private:
  std::filesystem::path folder_;
  std::set<std::string> names_;
  bool whole_ = false;  // the file is there and ends in a line's end
  std::mutex adding_;
};

// A path as it is noted, without detours. Throws std::logic_error for one that leads outside.
std::string path_below(const std::filesystem::path& path);

}  // namespace rootdk::harness
