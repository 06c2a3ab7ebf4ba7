#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "rootdk/harness/config.hpp"

namespace rootdk::harness {

// One call of a binary, understood.
struct Request {
  Config config;
  std::filesystem::path out{};  // runs/<name of the config file>, runs/<experiment> without one
  int threads = 1;
  bool dry_run = false;
  bool resume = false;
  bool overwrite = false;
  bool quiet = false;
};

// Reads a command line (without the program's name) and the config file it names; creates nothing.
// Throws RequestError.
Request read_request(const ExperimentSpec& spec, const std::vector<std::string>& arguments);

// The whole of a main: reads the request, answers --help and --version, else calls `body`. An
// exception becomes one sentence on stderr. Returns the exit code: 0 done, 2 the request is wrong
// (RequestError), 1 it failed while running (any other exception).
// A --dry-run calls the body too: run_sweep then only prints, so check everything before it.
int run_main(int argc, const char* const* argv, const ExperimentSpec& spec,
             const std::function<void(const Request&)>& body);

}  // namespace rootdk::harness
