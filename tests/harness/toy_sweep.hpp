#pragma once
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rootdk/harness/atomic_file.hpp"
#include "rootdk/harness/run_sweep.hpp"
#include "toy_experiment.hpp"

namespace rootdk::harness {

inline const std::vector<CsvTable> toy_tables = {
    {"runs", {"run", "scale", "d_k", "lr"}, {"loss"}},
    {"steps", {"run"}, {"step", "loss"}},
};

// A quiet request of the toy experiment for this folder: 2 scales x 2 d_k x 3 lr = 12 cells.
inline Request toy_request(const std::filesystem::path& out, std::vector<std::string> flags = {}) {
  for (const char* flag : {"--quiet", "--lr", "0.1,1,10", "--out"}) flags.emplace_back(flag);
  flags.push_back(out.string());
  return read_request(toy_spec(), flags);
}

// Rows that depend on the point alone, and a file beside them.
inline void toy_cell(const CellPoint& point, CellOutput& out) {
  const auto width = static_cast<float>(point.config.integer("d_k"));
  for (int step = 0; step < 5; ++step) {
    out.rows("steps").append(step, 1.0F / (width + static_cast<float>(step)));
    out.advance();
  }
  out.write_file("weights/run_" + std::to_string(point.number) + ".npy", "bytes");
  out.rows("runs").append(point.config.real("lr") / width);
}

inline const Facts toy_facts = {{"compiler", "a \"good\" one"}};

inline void run_toy(const Request& request, const CellBody& body = toy_cell) {
  run_sweep(request, toy_tables, product(request.config), {.facts = toy_facts, .steps_per_cell = 5},
            body);
}

// A run in this folder of which cells 0 to 4 are finished and cell 5 failed.
inline void run_toy_halfway(const std::filesystem::path& out) {
  CHECK_THROWS(
      run_toy(toy_request(out, {"--threads", "1"}), [](const CellPoint& point, CellOutput& output) {
        if (point.number == 5) throw std::runtime_error("enough");
        toy_cell(point, output);
      }));
}

// Resumes the run in this folder; the cells that this computed.
inline std::vector<std::size_t> resume_toy(const std::filesystem::path& out) {
  std::vector<std::size_t> computed;
  run_toy(toy_request(out, {"--resume", "--threads", "1"}),
          [&](const CellPoint& point, CellOutput& output) {
            computed.push_back(point.number);
            toy_cell(point, output);
          });
  return computed;
}

// What is said to a request that opens its folder.
inline std::string opening(const Request& request) {
  return complaint([&] { RunDirectory(request, toy_tables); });
}

// Every file below a folder but the lock, the notes and the clock, with its bytes.
inline std::map<std::string, std::string> contents(const std::filesystem::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    const bool differs = name == ".lock" || name == ".files" || name == "meta.json";
    if (!entry.is_regular_file() || differs) continue;
    files[name] = read_file(entry.path());
  }
  return files;
}

}  // namespace rootdk::harness
