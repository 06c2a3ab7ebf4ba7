#include "worked_example/worked_attention.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <sstream>

#include "catch.hpp"
#include "common/npy.hpp"
#include "rootdk/autodiff/gradcheck.hpp"
#include "support/temporary_folder.hpp"
#include "worked_example/course_example.hpp"
#include "worked_example/matrix_file.hpp"
#include "worked_example/matrix_text.hpp"

using namespace rootdk;

namespace {

// Relative to the largest entry; NaN is the worst.
double difference(const Matrix& found, const Matrix& wanted) {
  REQUIRE(found.rows == wanted.rows);
  REQUIRE(found.cols == wanted.cols);
  double largest = 1e-300, worst = 0;
  for (std::size_t e = 0; e < wanted.entries.size(); ++e) {
    largest = std::max(largest, std::abs(wanted.entries[e]));
    const double apart = std::abs(found.entries[e] - wanted.entries[e]);
    worst = !(apart <= worst) ? apart : worst;
  }
  return worst / largest;
}

struct Case {
  std::map<std::string, Matrix> matrices;
  std::string scale;
};

std::map<int, Case> torch_cases() {
  std::ifstream file(ROOTDK_SOURCE_DIR "/tests/data/torch/worked_cases.txt");
  std::map<int, Case> cases;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    int number = 0;
    std::string name;
    words >> number >> name;
    Case& one = cases[number];
    if (name == "scale") {
      words >> one.scale;
      continue;
    }
    Matrix& matrix = one.matrices[name];
    words >> matrix.rows >> matrix.cols;
    for (std::string entry; words >> entry;) matrix.entries.push_back(std::stod(entry));
    REQUIRE(static_cast<Index>(matrix.entries.size()) == matrix.rows * matrix.cols);
  }
  return cases;
}

WorkedInputs inputs(const Case& one) {
  const auto& m = one.matrices;
  WorkedInputs in{m.at("queries"), m.at("keys"), m.at("values"), m.at("d_output")};
  if (m.contains("mask")) in.mask = m.at("mask");
  in.causal = m.at("causal").entries[0] != 0;
  in.rule = score_rule(one.scale);
  return in;
}

// Inputs as the command line names them, written as .npy files of a folder.
class Files {
 public:
  Files& with(const std::string& key, const Matrix& matrix) {
    const std::filesystem::path path = folder_ / (key + ".npy");
    std::ofstream(path, std::ios::binary) << npy_bytes(matrix.view());
    arguments_.insert(arguments_.end(), {"--" + key, path.string()});
    return *this;
  }
  WorkedInputs read() const {
    return worked_inputs(harness::read_request(worked_spec(), arguments_).config);
  }

 private:
  harness::TemporaryFolder folder_;
  std::vector<std::string> arguments_;
};

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

TEST_CASE("worked_example: 20 random problems as PyTorch computes them, to 1e-10",
          "[worked][oracle]") {
  const auto cases = torch_cases();
  REQUIRE(cases.size() == 20);
  int compared = 0;
  for (const auto& [number, one] : cases) {
    const WorkedResult result(inputs(one));
    for (const auto& [name, matrix] : result.matrices()) {
      if (name == "mask") continue;  // joined with causal
      INFO(number << " " << name);
      CHECK(difference(matrix, one.matrices.at(name)) < 1e-10);
      ++compared;
    }
  }
  CHECK(compared == 20 * 14);
}

TEST_CASE("worked_example: its graph passes gradcheck, under masks and scales",
          "[worked][gradcheck]") {
  for (const auto& [number, one] : torch_cases()) {
    INFO(number);
    Tape<double> tape;
    const WorkedGraph graph = record(tape, inputs(one));
    const auto report = gradcheck("worked_example", graph.steps.output,
                                  std::array{graph.queries, graph.keys, graph.values});
    INFO(report.log);
    CHECK(report.ok);
  }
}

TEST_CASE("worked_example: NaN in what nobody looks at changes nothing", "[worked][mask]") {
  // Key 1 is hidden from all, query 2 sees nothing.
  const Matrix mask{3, 3, {1, 0, 1, 1, 0, 0, 0, 0, 0}};
  const WorkedInputs tokens = three_tokens();
  Files clean;
  const WorkedResult wanted(clean.with("mask", mask).read());

  WorkedInputs dirty = tokens;
  dirty.keys(1, 0) = not_a_number;
  dirty.values(1, 1) = infinity;
  dirty.queries(2, 1) = -infinity;
  (*dirty.d_output)(2, 0) = not_a_number;
  Files files;
  files.with("queries", dirty.queries).with("keys", dirty.keys).with("values", dirty.values);
  const WorkedResult found(files.with("d-output", *dirty.d_output).with("mask", mask).read());
  for (const char* name : {"weights", "output", "d_queries", "d_keys", "d_values", "d_scores",
                           "d_weights", "d_scaled", "mask"}) {
    INFO(name);
    CHECK(found[name].entries == wanted[name].entries);
  }
  for (const auto& [name, matrix] : found.matrices()) {
    INFO(name);
    for (const double entry : matrix.entries) CHECK(std::isfinite(entry));
  }
  for (Index c = 0; c < 2; ++c) {
    CHECK(found["output"](2, c) == 0);
    CHECK(found["d_queries"](2, c) == 0);
    CHECK(found["d_keys"](1, c) == 0);
    CHECK(found["d_values"](1, c) == 0);
  }
  for (Index j = 0; j < 3; ++j) CHECK(found["weights"](2, j) == 0);
}

TEST_CASE("worked_example: NaN or infinity in what is looked at is refused by file and entry",
          "[worked][mask]") {
  const auto [key, row, wrong] =
      GENERATE(table<std::string, Index, double>({{"queries", 0, not_a_number},
                                                  {"queries", 1, infinity},
                                                  {"keys", 0, not_a_number},
                                                  {"values", 2, -infinity},
                                                  {"d-output", 1, not_a_number}}));
  WorkedInputs in = three_tokens();
  std::map<std::string, Matrix> matrices{{"queries", in.queries},
                                         {"keys", in.keys},
                                         {"values", in.values},
                                         {"d-output", *in.d_output}};
  matrices[key](row, 1) = wrong;
  Files files;
  for (const auto& [name, matrix] : matrices) files.with(name, matrix);
  files.with("mask", Matrix{3, 3, {1, 0, 1, 1, 0, 0, 0, 0, 0}});
  CHECK_THROWS_AS(files.read(), harness::RequestError);
  CHECK_THROWS_WITH(files.read(),
                    ROOTDK_CONTAINS(key + ".npy: entry [" + std::to_string(row) + ", 1] is "));
}

TEST_CASE("worked_example: a mask and causal intersect", "[worked][mask]") {
  WorkedInputs in = three_tokens();
  in.mask = Matrix{3, 3, {0, 1, 1, 1, 1, 1, 1, 0, 1}};
  in.causal = true;
  const WorkedResult result(in);
  CHECK(result["mask"].entries == std::vector<double>{0, 0, 0, 1, 1, 0, 1, 0, 1});
  for (std::size_t e = 0; e < 9; ++e) {
    CHECK((result["weights"].entries[e] != 0) == (result["mask"].entries[e] != 0));
  }
}

TEST_CASE("worked_example: products beyond float64 are refused, unless they are hidden",
          "[worked]") {
  WorkedInputs in = three_tokens();
  in.queries(0, 1) = 1e200;
  in.keys(1, 1) = 1e200;
  CHECK_THROWS_WITH(WorkedResult(in), ROOTDK_CONTAINS("entry [0, 1] of scores is inf"));
  in.causal = true;
  CHECK(WorkedResult(in)["weights"](0, 0) == 1);
}

TEST_CASE("worked_example: an output gradient of ones shows nothing on the three tokens",
          "[worked]") {
  WorkedInputs in = three_tokens();
  in.d_output = Matrix{3, 2, {1, 1, 1, 1, 1, 1}};
  const WorkedResult result(in);
  for (const char* name : {"d_scores", "d_queries", "d_keys"}) {
    for (const double entry : result[name].entries) CHECK(std::abs(entry) < 1e-14);
  }
}

TEST_CASE("Matrices are written as on paper", "[worked]") {
  CHECK(matrix_text("V", {2, 2, {10, 0, -0.0, 5}}) == "V = [ 10  0 ]\n    [  0  5 ]\n");
  CHECK(matrix_text("A", {1, 2, {0.5, -0.25}}) == "A = [  0.500000 -0.250000 ]\n");
  CHECK(matrix_text("A", {1, 2, {0.5, -1e-9}}) == "A = [ 0.500000 0.000000 ]\n");
  CHECK(matrix_text("d", {1, 2, {1.5e-7, 0}}) == "d = [ 1.50000e-07 0.00000e+00 ]\n");
  CHECK(matrix_text("d", {1, 1, {1.5e200}}) == "d = [ 1.50000e+200 ]\n");
  CHECK(matrix_text("A", {1, 2, {1, 0.5}}, [](Index, Index j) { return j == 1; }) ==
        "A = [ 1 - ]\n");
  const std::string large = matrix_text("S", matrix_of_zeros(9, 100));
  CHECK(large.starts_with("S = [  0  0  0 ..  0  0  0 ]\n"));
  CHECK(std::count(large.begin(), large.end(), '\n') == 7);
}
