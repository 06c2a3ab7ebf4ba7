#include "rootdk/harness/atomic_file.hpp"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace rootdk::harness {
namespace {

std::runtime_error failure(const std::filesystem::path& path) {
  return std::runtime_error("cannot write " + path.string() + ": " +
                            std::generic_category().message(errno));
}

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& path, int flags)
      : path_(path), number_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {
    if (number_ < 0) throw failure(path_);
  }
  ~Descriptor() { ::close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(number_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) throw failure(path_);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void sync() {
    if (::fsync(number_) != 0) throw failure(path_);
  }

 private:
  std::filesystem::path path_;
  int number_;
};

}  // namespace

void write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw std::runtime_error("cannot make " + folder.string() + ": " + error.message());
  std::filesystem::path temporary = path;
  temporary += ".tmp";
  try {
    Descriptor file(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    file.write(bytes);
    file.sync();
  } catch (...) {
    ::unlink(temporary.c_str());  // half a file helps nobody, least of all on a full disk
    throw;
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) throw failure(path);
  Descriptor(folder, O_RDONLY | O_DIRECTORY).sync();  // the new name itself
}

void append_to_file(const std::filesystem::path& path, std::string_view bytes) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_APPEND);
  file.write(bytes);
  file.sync();
}

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  std::array<char, 1 << 14> chunk;
  do {  // not all that can be read has a size to ask for
    file.read(chunk.data(), chunk.size());
    bytes.append(chunk.data(), static_cast<std::size_t>(file.gcount()));
  } while (file);
  if (!file.eof()) throw std::runtime_error("cannot read " + path.string());
  return bytes;
}

}  // namespace rootdk::harness
