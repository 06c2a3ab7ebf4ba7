// worked_example as its users meet it: command line in; a page, exit code, one sentence, files out.
#include <cmath>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "common/npy.hpp"
#include "support/binary.hpp"
#include "worked_example/matrix_file.hpp"

using namespace rootdk;
using harness::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

const std::string data = ROOTDK_SOURCE_DIR "/tests/data/worked_example/";

void write(const fs::path& path, const Matrix& matrix) { ::write(path, npy_bytes(matrix.view())); }

Ended run(const TemporaryFolder& folder, const std::string& arguments) {
  return run_binary("worked_example", folder, arguments);
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    names.insert(entry.path().filename().string());
  }
  return names;
}

std::string files(const std::string& folder, const std::string& queries = "Q") {
  return "--queries " + folder + "/" + queries + ".npy --keys " + folder + "/K.npy --values " +
         folder + "/V.npy --d-output " + folder + "/G.npy ";
}

// Every expected matrix to 1e-10 of its largest entry; the .csv twin holds the same numbers.
void check_expected(const fs::path& out, const fs::path& expected) {
  std::size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(expected)) {
    const std::string name = entry.path().stem().string();
    INFO(name);
    const Matrix wanted = read_matrix(entry.path());
    const Matrix found = read_matrix(out / (name + ".npy"));
    CHECK(read_matrix(out / (name + ".csv")).entries == found.entries);
    CHECK_THAT(read(out / (name + ".npy")), ROOTDK_CONTAINS("<f8"));
    REQUIRE(found.rows == wanted.rows);
    REQUIRE(found.cols == wanted.cols);
    double largest = 0;
    for (const double number : wanted.entries) largest = std::max(largest, std::abs(number));
    for (std::size_t e = 0; e < wanted.entries.size(); ++e) {
      CHECK(std::abs(found.entries[e] - wanted.entries[e]) <= 1e-10 * largest);
    }
    ++compared;
  }
  CHECK(compared == 7);
}

}  // namespace

TEST_CASE("worked_example: the page of the three tokens", "[run][worked]") {
  TemporaryFolder folder;
  const Ended ended = run(folder, "");
  CHECK(ended.code == 0);
  for (const char* part : {
           "A = [ 0.401112 0.197776 0.401112 ]\n",
           "[ 0.197776 0.401112 0.401112 ]\n",
           "[ 0.248255 0.248255 0.503490 ]\n",
           "query 1: (6.016681, 3.983319)\n",
           "s = 1/sqrt(d_k) = 0.707107\n",
           "dV = A^T G\n",
           "dA = G V^T\n",
           "dZ = A o (dA - rowsum(A o dA))\n",
           "dS = s dZ\n    dS = [  1.129785 -0.841425 -0.288360 ]\n",
           "dQ = dS K\n",
           "dK = dS^T Q\n",
           "Each row of V sums to 10",
           "dS = dQ = dK = 0",
           "printed A = [ 0.38 0.19 0.42 ]  sum 0.99\n",
           "Row 1: keys 1 and 3 have equal scores (1), so equal weights at any scale; printed are "
           "0.38 and 0.42.",
           "Row 2: keys 2 and 3",
           "Rows 1 and 2 do not sum to 1",
           "9 of 9 entries",
           "by up to 0.023490.",
           "(5.9, 4.0) from the printed weights, (6.016681, 3.983319) from softmax",
       }) {
    CHECK_THAT(ended.output, ROOTDK_CONTAINS(part));
  }
  CHECK_THAT(ended.output, !ROOTDK_CONTAINS("Row 3"));
  std::istringstream lines(ended.output);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 110);

  std::set<std::string> wanted{".files", ".lock", "config.toml", "meta.json"};
  for (const char* name :
       {"queries", "keys", "values", "scores", "scaled", "weights", "output", "d_output",
        "d_queries", "d_keys", "d_values", "d_scores", "d_scaled", "d_weights"}) {
    wanted.insert({std::string(name) + ".npy", std::string(name) + ".csv"});
  }
  CHECK(names_in(folder / "runs/worked_example") == wanted);
}

TEST_CASE("worked_example: a finished run shows its page again and changes nothing",
          "[run][worked]") {
  TemporaryFolder folder;
  write(folder / "q.csv", "1,2\n3,4\n");
  const std::string own = "--queries q.csv --keys q.csv --values q.csv --out o ";
  const Ended first = run(folder, own);
  const auto made = fs::last_write_time(folder / "o/weights.npy");
  const Ended again = run(folder, own + "--resume");
  CHECK(again.code == 0);
  CHECK(again.output == first.output);
  CHECK(fs::last_write_time(folder / "o/weights.npy") == made);
  CHECK(run(folder, own).code == 2);

  write(folder / "q.csv", "1,2\n3,5\n");  // the same configuration, another matrix
  const Ended changed = run(folder, own + "--resume");
  CHECK(changed.code == 2);
  CHECK_THAT(changed.errors,
             ROOTDK_CONTAINS("o holds a run of other queries; choose another --out"));
  CHECK(run(folder, own + "--overwrite").code == 0);
  CHECK(read(folder / "o/queries.csv") == "1,2\n3,5\n");
}

TEST_CASE("worked_example: quiet prints nothing and a dry run makes nothing", "[run][worked]") {
  TemporaryFolder folder;
  const Ended quiet = run(folder, "--quiet --out o");
  CHECK(quiet.output.empty());
  CHECK(quiet.errors.empty());
  const Ended dry = run(folder, "--dry-run --causal --d-output " + data + "scale-number/G.npy");
  CHECK(dry.code == 0);
  CHECK_THAT(dry.output, ROOTDK_CONTAINS("\ncausal = true\n"));
  CHECK_THAT(dry.output, ROOTDK_CONTAINS("\nd-output = \"/"));
  CHECK(names_in(folder.path()) == std::set<std::string>{"o"});
}

TEST_CASE("worked_example: a config file says the same as flags", "[run][worked]") {
  TemporaryFolder folder;
  const std::string flags = files(data + "fortran-order") + "--causal true --scale 0.3 ";
  REQUIRE(run(folder, flags + "--out flags").code == 0);
  REQUIRE(run(folder, "--config flags/config.toml --out file").code == 0);
  REQUIRE(run(folder, files(data + "fortran-order") + "--scale 0.3 --causal --out bare").code == 0);
  for (const char* other : {"file", "bare"}) {
    CHECK(read(folder / "flags/config.toml") == read(folder / other / "config.toml"));
    CHECK(read(folder / "flags/d_queries.csv") == read(folder / other / "d_queries.csv"));
  }
  const std::string shipped = ROOTDK_SOURCE_DIR "/configs/worked_example.toml";
  REQUIRE(run(folder, "--config " + shipped + " --out shipped").code == 0);
  REQUIRE(run(folder, "--out built_in").code == 0);
  CHECK(read(folder / "shipped/config.toml") == read(folder / "built_in/config.toml"));
}

TEST_CASE("worked_example: matrices that programs read wrong, to 1e-10", "[run][worked][oracle]") {
  TemporaryFolder folder;
  int runs = 0;
  const auto check = [&](const std::string& arguments, const std::string& expected) {
    INFO(arguments);
    const std::string out = "o" + std::to_string(++runs);
    const Ended ended = run(folder, arguments + " --quiet --out " + out);
    INFO(ended.errors);
    REQUIRE(ended.code == 0);
    check_expected(folder / out, data + expected);
  };
  check(files(data + "fortran-order") + "--mask " + data + "fortran-order/M.npy",
        "fortran-order/expect");
  check(files(data + "dtypes"), "dtypes/expect");
  for (const char* queries : {"Q", "Q_old_16", "Q_other_key_order"}) {
    check(files(data + "npy-versions", queries), "npy-versions/expect");
  }
  for (const std::string scale : {"0.5", "2", "0", "-0.5", "1e-3"}) {
    check(files(data + "scale-number") + "--scale " + scale, "scale-number/expect_" + scale);
  }
}

TEST_CASE("worked_example: a page shows what is hidden and cuts what is large", "[run][worked]") {
  TemporaryFolder folder;
  const Ended causal = run(folder, "--causal --out causal");
  CHECK_THAT(causal.output, ROOTDK_CONTAINS("M = [ 1 0 0 ]\n"));
  CHECK_THAT(causal.output, ROOTDK_CONTAINS("A = [ 1.000000        -        - ]\n"));
  CHECK_THAT(causal.output, !ROOTDK_CONTAINS("course"));
  write(folder / "large.npy", matrix_of_zeros(40, 30));
  const std::string large = "--queries large.npy --keys large.npy --values large.npy --out large";
  const Ended cut = run(folder, large);
  CHECK_THAT(cut.output, ROOTDK_CONTAINS("S = [  0  0  0 ..  0  0  0 ]\n"));
  CHECK(std::count(cut.output.begin(), cut.output.end(), '\n') < 100);
  CHECK_THAT(cut.output, !ROOTDK_CONTAINS("Gradients"));
  CHECK_FALSE(fs::exists(folder / "large/d_keys.npy"));
  CHECK(read_matrix(folder / "large/weights.csv").rows == 40);
}

TEST_CASE("worked_example: a wrong request is one sentence, exit 2, and nothing on the disk",
          "[run][worked]") {
  TemporaryFolder folder;
  write(folder / "Q.npy", matrix_of_zeros(3, 4));
  write(folder / "K.npy", matrix_of_zeros(5, 4));
  write(folder / "V.npy", matrix_of_zeros(5, 2));
  write(folder / "W.npy", matrix_of_zeros(3, 5));
  write(folder / "half.csv", "0,1,1,0,1\n0,1,1,0,1\n0,1,0.5,0,1\n");
  write(folder / "cut.npy", read(folder / "Q.npy").substr(0, 200));
  write(folder / "dots.csv", "1;2;3\n");
  write(folder / "row.csv", "1,2,3,4\n\n1,2,3,4\n");
  write(folder / "tall.csv", [] {
    std::string rows;
    for (int i = 0; i < 2'000'000; ++i) rows += "1\n";
    return rows;
  }());
  write(folder / "c.toml", "scale = \"none\"\nd_output = \"G.npy\"\n");
  const auto before = names_in(folder.path());
  const std::string qk = "--queries Q.npy --keys K.npy ", qkv = qk + "--values V.npy ";
  const std::vector<std::pair<std::string, std::vector<std::string>>> wrong{
      {qk, {"--queries: ", "missing is values"}},
      {"--queries Q.npy", {"missing is keys"}},
      {"--values V.npy", {"missing is queries"}},
      {"--queries '' ", {"--queries: the name of the file is empty"}},
      {qk + "--values missing.npy", {"missing.npy: there is no such file"}},
      {qk + "--values .", {".npy or .csv"}},
      {qk + "--values dots.csv", {"dots.csv:1: field 1 is \"1;2;3\""}},
      {"--queries row.csv --keys K.npy --values V.npy", {"row.csv:2: the line is blank"}},
      {"--queries cut.npy --keys K.npy --values V.npy", {"cut.npy: ", "(3, 4)", "cut off"}},
      {"--queries V.npy --keys K.npy --values V.npy",
       {"--keys: K.npy has 4 columns (d_k); to fit V.npy it takes 2"}},
      {qk + "--values Q.npy", {"--values: Q.npy has 3 rows (n_k); to fit K.npy it takes 5"}},
      {qkv + "--d-output V.npy", {"--d-output: V.npy has 5 rows (n_q); to fit Q.npy it takes 3"}},
      {qkv + "--d-output Q.npy", {"--d-output: Q.npy has 4 columns (d_v)"}},
      {qkv + "--mask Q.npy", {"--mask: Q.npy has 4 columns (n_k); to fit K.npy it takes 5"}},
      {qkv + "--mask K.npy", {"--mask: K.npy has 5 rows (n_q)"}},
      {qkv + "--mask half.csv",
       {"--mask: half.csv: entry [2, 2] is 0.5, and a mask holds 0 and 1"}},
      {"--mask W.npy",
       {"--mask: W.npy has 5 columns (n_k); to fit the three tokens' keys it takes 3"}},
      {"--d-output V.npy", {"--d-output: V.npy has 5 rows"}},
      {"--queries tall.csv --keys tall.csv --values tall.csv", {"2000000 queries", "GiB"}},
      {qkv + "--scale nan", {"--scale: ", "found nan"}},
      {qkv + "--scale 0,5", {"--scale: "}},
      {qkv + "--scale ''", {"--scale: ", "found nothing"}},
      {qkv + "--scale 0x1p-1", {"--scale: ", "found 0x1p-1"}},
      {qkv + "--scale sqrt", {"--scale: ", "inv_sqrt_dk"}},
      {"--dtype float32", {"--dtype: dtype must be float64"}},
      {"--causal maybe", {"--causal: causal must be true or false, found maybe"}},
      {"--d_output G.npy", {"unknown flag --d_output; did you mean --d-output?"}},
      {"--config c.toml", {"c.toml:2: unknown key d_output; did you mean d-output?"}},
  };
  for (const auto& [arguments, parts] : wrong) {
    const Ended ended = run(folder, arguments + " --out new/one");
    INFO(arguments << ": " << ended.errors);
    CHECK(ended.code == 2);
    CHECK(ended.output.empty());
    for (const std::string& part : parts) CHECK_THAT(ended.errors, ROOTDK_CONTAINS(part));
    CHECK(std::count(ended.errors.begin(), ended.errors.end(), '\n') == 1);
    CHECK(names_in(folder.path()) == before);
  }
}
