#pragma once
#include <filesystem>

namespace rootdk::harness {

// Holds a folder for this process: flock on the file .lock in it, released by the system whenever
// and however the process ends.
class FolderLock {
 public:
  static constexpr const char* file_name = ".lock";

  // Throws RequestError when another process holds the folder or the lock file cannot be made.
  explicit FolderLock(const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_ = -1;
};

}  // namespace rootdk::harness
