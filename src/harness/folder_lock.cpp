#include "rootdk/harness/folder_lock.hpp"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

#include "rootdk/harness/error.hpp"

namespace rootdk::harness {

FolderLock::FolderLock(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / file_name;
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor_ < 0) {
    throw RequestError("the output folder " + folder.string() +
                       " cannot be written: " + std::generic_category().message(errno));
  }
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    const int cause = errno;
    ::close(descriptor_);
    if (cause == EWOULDBLOCK) {
      throw RequestError("the output folder " + folder.string() +
                         " is in use by another process; wait for it or choose another --out");
    }
    throw RequestError("the output folder " + folder.string() +
                       " cannot be locked: " + std::generic_category().message(cause));
  }
}

FolderLock::~FolderLock() { ::close(descriptor_); }

}  // namespace rootdk::harness
