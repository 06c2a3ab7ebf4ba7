#pragma once
// Calls an experiment's binary as a user would, in a folder of the test's own.
#include <cstdlib>
#include <fstream>
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

struct Ended {
  int code;  // the exit code, -1 when a signal ended it
  std::string output, errors;
};

inline Ended run_binary(const std::string& name, const rootdk::harness::TemporaryFolder& folder,
                        const std::string& arguments) {
  const std::string command = "cd " + folder.path().string() +
                              " && " ROOTDK_BINARY_DIR "/experiments/" + name + " " + arguments +
                              " >output 2>errors";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(folder / "output"),
          read(folder / "errors")};
}
