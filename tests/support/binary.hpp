#pragma once
// Calls an experiment's binary as a user would, in a folder of the test's own.
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <sys/wait.h>

#include "support/temporary_folder.hpp"

inline std::string read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void write(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

struct Ended {
  int code;  // the exit code, -1 when a signal ended it
  std::string output, errors;
};

// Runs in the folder; the streams go elsewhere, so that the folder holds what the binary made.
inline Ended run_binary(const std::string& name, const rootdk::harness::TemporaryFolder& folder,
                        const std::string& arguments) {
  const rootdk::harness::TemporaryFolder streams;
  const std::string command =
      "cd " + folder.path().string() + " && " ROOTDK_BINARY_DIR "/experiments/" + name + " " +
      arguments + " >" + (streams / "output").string() + " 2>" + (streams / "errors").string();
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(streams / "output"),
          read(streams / "errors")};
}

// Everything below a folder, with the bytes of its files.
inline std::map<std::string, std::string> tree(const std::filesystem::path& folder) {
  std::map<std::string, std::string> entries;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const bool file = entry.is_regular_file();
    entries[entry.path().lexically_relative(folder).string()] = file ? read(entry.path()) : "/";
  }
  return entries;
}
