#include <filesystem>
#include <fstream>
#include <map>

#include "catch.hpp"

namespace rootdk::harness {
namespace {

namespace fs = std::filesystem;

TEST_CASE("The harness includes nothing else of ours and each library in one place", "[harness]") {
  std::map<std::string, int> libraries;
  for (const char* folder : {"/include/rootdk/harness", "/src/harness"}) {
    for (const auto& entry : fs::directory_iterator(ROOTDK_SOURCE_DIR + std::string(folder))) {
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("#include")) continue;
        INFO(entry.path().string() << ": " << line);
        if (line.find("rootdk/") != std::string::npos) {
          CHECK(line.starts_with("#include \"rootdk/harness/"));
        }
        for (const char* library : {"CLI", "toml++", "nlohmann"}) {
          if (line.find(library) != std::string::npos) ++libraries[library];
        }
      }
    }
  }
  CHECK(libraries == std::map<std::string, int>{{"CLI", 1}, {"nlohmann", 1}, {"toml++", 1}});
}

}  // namespace
}  // namespace rootdk::harness
