// The files of configs/, against the binaries that read them.
#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "support/binary.hpp"

using rootdk::harness::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> experiments() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(ROOTDK_SOURCE_DIR "/experiments")) {
    if (entry.path().extension() == ".cpp") names.push_back(entry.path().stem().string());
  }
  return names;
}

Ended dry_run(const std::string& name, const TemporaryFolder& folder, const std::string& config) {
  return run_binary(name, folder, "--dry-run" + (config.empty() ? "" : " --config " + config));
}

}  // namespace

TEST_CASE("every experiment has a config of its name: the built-in defaults", "[run]") {
  const TemporaryFolder folder;
  for (const std::string& name : experiments()) {
    INFO(name);
    const Ended file = dry_run(name, folder, ROOTDK_SOURCE_DIR "/configs/" + name + ".toml");
    const Ended built_in = dry_run(name, folder, "");
    CHECK(file.code == 0);
    CHECK_FALSE(built_in.output.empty());
    CHECK(file.output == built_in.output);
  }
}

TEST_CASE("every shipped config is accepted by an experiment", "[run]") {
  const TemporaryFolder folder;
  const std::vector<std::string> names = experiments();
  for (const auto& entry : fs::directory_iterator(ROOTDK_SOURCE_DIR "/configs")) {
    INFO(entry.path().string());
    CHECK(std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return dry_run(name, folder, entry.path().string()).code == 0;
    }));
  }
  CHECK_FALSE(fs::exists(folder / "runs"));
}
