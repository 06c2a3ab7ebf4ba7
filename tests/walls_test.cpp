// The walls of the house: who may include whom, where each library comes in, and what is banned.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <vector>

#include "catch.hpp"

namespace fs = std::filesystem;

namespace {

// A folder (or a header) of include/rootdk, and what it may include beside itself.
const std::map<std::string, std::vector<std::string>> walls{
    {"elementary.hpp", {}},
    {"random.hpp", {"elementary.hpp"}},
    {"named.hpp", {}},
    {"theory", {}},
    {"harness", {}},
    {"autodiff", {"random.hpp", "elementary.hpp"}},
    {"gemm", {"autodiff/shape.hpp", "autodiff/view.hpp", "named.hpp"}},
    {"ops", {"autodiff", "gemm", "elementary.hpp"}},
    {"attention", {"ops", "autodiff", "gemm", "random.hpp", "named.hpp"}},
    {"optim", {"ops", "autodiff", "named.hpp"}},
    {"tasks", {"autodiff/shape.hpp", "autodiff/view.hpp", "random.hpp", "named.hpp"}},
    {"probes", {"autodiff/shape.hpp", "autodiff/view.hpp", "elementary.hpp"}},
    {"training",
     {"attention", "autodiff", "gemm", "ops", "optim", "probes", "random.hpp", "tasks", "theory",
      "elementary.hpp"}},
};

// An #include of a system or library header, and the only files that may have it.
const std::map<std::string, std::vector<std::string>> gates{
    {"cblas.h", {"src/gemm/cblas.cpp"}},
    {"CLI/CLI.hpp", {"src/harness/command_line.cpp"}},
    {"toml++/toml.h", {"src/harness/toml_file.cpp"}},
    {"nlohmann/json.hpp", {"src/harness/meta.cpp"}},
    {"xtensor/xtensor.hpp", {}},
    {"xtensor/xadapt.hpp", {"experiments/common/npy.cpp"}},
    {"xtensor/xnpy.hpp", {"experiments/common/npy.cpp"}},
    {"xtensor/xtensor_config.hpp", {"experiments/common/build_facts.cpp"}},  // its version
    {"xtensor-blas/xlinalg.hpp", {}},
    {"torch/torch.h", {}},  // takes a minute to compile
    {"ATen/ATen.h", {}},
    {"ATen/core/Tensor.h", {"experiments/bench/torch_peer.cpp"}},
    {"torch/version.h", {"experiments/bench/torch_peer.cpp"}},
    {"boost/math/special_functions/beta.hpp", {"experiments/common/quantiles.cpp"}},
};

struct Source {
  std::string path;  // below the root of the project
  std::string text;
};

std::vector<Source> sources(const std::vector<std::string>& folders) {
  std::vector<Source> result;
  const fs::path root = ROOTDK_SOURCE_DIR;
  for (const std::string& folder : folders) {
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string suffix = entry.path().extension().string();
      if (suffix != ".hpp" && suffix != ".cpp") continue;
      std::ifstream file(entry.path());
      std::stringstream text;
      text << file.rdbuf();
      result.push_back({fs::relative(entry.path(), root).string(), text.str()});
    }
  }
  return result;
}

std::vector<std::string> includes(const std::string& text, const std::string& pattern) {
  const std::regex include("#include [<\"]" + pattern + "[>\"]");
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), include), end; match != end; ++match) {
    found.push_back((*match)[1]);
  }
  return found;
}

// "ops/matmul.hpp" lies in "ops" and is "ops/matmul.hpp".
bool lies_in(const std::string& header, const std::string& place) {
  return header == place || header.starts_with(place + "/");
}

std::vector<std::string> broken_walls(const std::vector<Source>& files) {
  std::vector<std::string> broken;
  for (const Source& file : files) {
    const bool is_header = file.path.starts_with("include/rootdk/");
    std::string inside = file.path.substr(is_header ? 15 : 4);
    if (inside.find('/') == std::string::npos) inside = inside.substr(0, inside.find('.')) + ".hpp";
    const auto wall = std::find_if(walls.begin(), walls.end(),
                                   [&](const auto& row) { return lies_in(inside, row.first); });
    if (wall == walls.end()) {
      broken.push_back(file.path + " has no row in the table of walls");
      continue;
    }
    for (const std::string& header : includes(file.text, "rootdk/([^>\"]+)")) {
      const auto& [home, allowed] = *wall;
      const bool fine = lies_in(header, home) ||
                        std::any_of(allowed.begin(), allowed.end(), [&](const std::string& place) {
                          return lies_in(header, place);
                        });
      if (!fine) broken.push_back(file.path + " includes " + header);
    }
  }
  return broken;
}

}  // namespace

TEST_CASE("walls: each folder includes what the plan allows and nothing else", "[walls]") {
  const auto broken = broken_walls(sources({"include", "src"}));
  INFO((broken.empty() ? "" : broken.front()));
  CHECK(broken.empty());
}

TEST_CASE("walls: a wrong include is found", "[walls][teeth]") {
  const std::vector<Source> wrong{
      {"src/tasks/lookup.cpp", "#include \"rootdk/autodiff/tape.hpp\"\n"},
      {"include/rootdk/harness/config.hpp", "#include \"rootdk/training/training_cell.hpp\"\n"},
      {"include/rootdk/probes/new.hpp", "#include \"rootdk/probes/softmax_tail.hpp\"\n"},
  };
  CHECK(broken_walls(wrong) ==
        std::vector<std::string>{
            "src/tasks/lookup.cpp includes autodiff/tape.hpp",
            "include/rootdk/harness/config.hpp includes training/training_cell.hpp"});
}

TEST_CASE("walls: each library comes in through one file", "[walls]") {
  for (const Source& file : sources({"include", "src", "experiments"})) {
    for (const auto& [header, files] : gates) {
      INFO(file.path << " includes " << header);
      const bool has = file.text.find("#include <" + header + ">") != std::string::npos ||
                       file.text.find("#include \"" + header + "\"") != std::string::npos;
      CHECK((!has || std::find(files.begin(), files.end(), file.path) != files.end()));
    }
  }
}

TEST_CASE("walls: the core needs no file, thread or console", "[walls]") {
  for (const Source& file : sources({"include", "src"})) {
    INFO(file.path);
    CHECK(file.text.find("#include <xtensor") ==
          std::string::npos);  // it may be found without linking
    if (file.path.find("/harness/") != std::string::npos) continue;
    for (const std::string& header : includes(file.text, "([a-z_]+)")) {
      INFO(file.path << " includes <" << header << ">");
      for (const char* banned : {"iostream", "fstream", "filesystem", "thread", "mutex"}) {
        CHECK(header != banned);
      }
    }
  }
}

TEST_CASE("walls: parts of an experiment are used by it alone, and common/ by what it knows not",
          "[walls]") {
  for (const Source& file : sources({"experiments"})) {
    const std::string place = std::filesystem::path(file.path).lexically_relative("experiments");
    const std::string home = place.substr(0, place.find('/'));
    if (home == place) continue;  // a main
    for (const std::string& header : includes(file.text, "([a-z_]+/[^>\"]+)")) {
      const std::string folder = header.substr(0, header.find('/'));
      const bool is_ours =
          std::filesystem::exists(fs::path(ROOTDK_SOURCE_DIR) / "experiments" / folder);
      INFO(file.path << " includes " << header);
      CHECK((!is_ours || folder == home || folder == "common"));
    }
  }
}

TEST_CASE("walls: no lazy keep_dims, no fast-math, no file beyond 300 lines", "[walls]") {
  for (const Source& file : sources({"include", "src", "experiments", "tests"})) {
    if (file.path == "tests/walls_test.cpp") continue;  // it has to name what it bans
    INFO(file.path);
    CHECK(std::count(file.text.begin(), file.text.end(), '\n') <= 300);
    std::istringstream lines(file.text);
    for (std::string line; std::getline(lines, line);) {
      // xtensor 0.24 and 0.25 compute wrong numbers when it is evaluated lazily.
      const bool lazy = line.find("keep_dims") != std::string::npos &&
                        line.find("immediate") == std::string::npos &&
                        line.find("eval(") == std::string::npos;
      CHECK_FALSE(lazy);
    }
  }
  std::ifstream build(ROOTDK_SOURCE_DIR "/CMakeLists.txt");
  std::stringstream text;
  text << build.rdbuf();
  CHECK(text.str().find("-ffast") == std::string::npos);
  CHECK(text.str().find("-Ofast") == std::string::npos);
}
