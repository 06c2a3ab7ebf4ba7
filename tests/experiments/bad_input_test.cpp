// Ways to get a request wrong, and what is said of each: one sentence, exit code 2, and nothing is
// created. The tables are tests/data/bad_input/*.txt; bad_input_table.hpp says how to read them.
#include <algorithm>
#include <set>

#include "bad_input_table.hpp"
#include "catch.hpp"
#include "support/binary.hpp"

using rootdk::harness::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

std::set<std::string> experiments() {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(ROOTDK_SOURCE_DIR "/experiments")) {
    if (entry.path().extension() == ".cpp") names.insert(entry.path().stem().string());
  }
  return names;
}

// Whether `text` is `pattern`, in which every {} stands for any number of characters.
bool matches(std::string_view text, std::string_view pattern) {
  const std::size_t hole = pattern.find("{}");
  if (hole == std::string_view::npos) return text == pattern;
  if (!text.starts_with(pattern.substr(0, hole))) return false;
  for (std::size_t skipped = hole; skipped <= text.size(); ++skipped) {
    if (matches(text.substr(skipped), pattern.substr(hole + 2))) return true;
  }
  return false;
}

void check_row(const BadInput& row) {
  const std::set<std::string> all = experiments();
  const auto programs = row.program == "*" ? all : std::set<std::string>{row.program};
  for (const std::string& program : programs) {
    const TemporaryFolder folder;
    for (const BadInput::File& file : row.files) {
      fs::create_directories((folder / file.name).parent_path());
      file.is_folder ? void(fs::create_directory(folder / file.name))
                     : write(folder / file.name, file.bytes);
    }
    const auto before = tree(folder.path());
    const Ended ended = run_binary(program, folder, row.arguments);
    INFO(row.origin << ": " << program << " " << row.arguments << "\n" << ended.errors);
    if (row.sentence.empty()) {
      CHECK(ended.code == 0);
      CHECK(ended.errors.empty());
      continue;
    }
    CHECK(ended.code == 2);
    CHECK(ended.output.empty());
    CHECK(matches(ended.errors, program + ": " + row.sentence + "\n"));
    CHECK(std::count(ended.errors.begin(), ended.errors.end(), '\n') == 1);
    CHECK(tree(folder.path()) == before);
  }
}

// Checks every row of a table; the tables are several so that ctest may run them side by side.
void check_table(const std::string& name, std::size_t least) {
  const auto rows = read_bad_inputs(ROOTDK_SOURCE_DIR "/tests/data/bad_input/" + name);
  CHECK(rows.size() >= least);  // the reader did find them
  for (const BadInput& row : rows) check_row(row);
}

}  // namespace

TEST_CASE("Wrong requests of every binary", "[run][bad_input]") {
  check_table("every_binary.txt", 50);
}
TEST_CASE("Wrong config files", "[run][bad_input]") { check_table("config_file.txt", 65); }
TEST_CASE("Wrong requests of train_retrieval", "[run][bad_input]") {
  check_table("train_retrieval.txt", 45);
}
TEST_CASE("Wrong requests of the other experiments", "[run][bad_input]") {
  check_table("other_experiments.txt", 28);
}
TEST_CASE("Wrong matrices", "[run][bad_input]") { check_table("worked_example.txt", 65); }

TEST_CASE("The table of wrong requests tells one sentence from another", "[bad_input][teeth]") {
  CHECK(matches("a needs about 57.2 GiB, and", "a needs about {} GiB, and"));
  CHECK_FALSE(matches("a needs about 57.2 MiB, and", "a needs about {} GiB, and"));
  CHECK_FALSE(matches("a sentence, and more", "a sentence"));
  CHECK_FALSE(matches("", "{}a"));
}
