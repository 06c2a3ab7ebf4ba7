#include "worked_example/matrix_file.hpp"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>

#include "catch.hpp"
#include "common/npy.hpp"
#include "rootdk/harness/error.hpp"
#include "support/temporary_folder.hpp"

using namespace rootdk;
using harness::RequestError;

namespace {

// A .npy file as numpy might write it.
std::string npy(const std::string& header, const std::string& entries, int version = 1) {
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  for (int byte = 0; byte < (version == 1 ? 2 : 4); ++byte) {
    bytes += static_cast<char>(header.size() >> (8 * byte) & 255);
  }
  return bytes + header + entries;
}

std::string header(const std::string& dtype, const std::string& shape = "(1, 2)",
                   const std::string& fortran = "False") {
  return "{'descr': '" + dtype + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
}

// The bytes of numbers, in the order of this machine (little-endian), or reversed.
template <class T>
std::string bytes_of(std::initializer_list<T> numbers, bool reversed = false) {
  std::string bytes;
  for (const T number : numbers) {
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &number, sizeof(T));
    bytes += reversed ? std::string(one.rbegin(), one.rend()) : one;
  }
  return bytes;
}

std::string complaint_npy(const std::string& bytes) {
  try {
    parse_npy(bytes, "Q.npy");
  } catch (const RequestError& error) {
    return error.what();
  }
  return "accepted";
}

using Entries = std::vector<double>;

}  // namespace

TEST_CASE("npy: every numeric dtype reads as the values it holds", "[npy]") {
  const auto [dtype, bytes, entries] = GENERATE(table<std::string, std::string, Entries>({
      {"<f8", bytes_of<double>({0.1, -2e300}), {0.1, -2e300}},
      {">f8", bytes_of<double>({0.1, -2e300}, true), {0.1, -2e300}},
      {"<f4", bytes_of<float>({0.1F, -3}), {static_cast<double>(0.1F), -3}},
      {">f4", bytes_of<float>({0.1F, -3}, true), {static_cast<double>(0.1F), -3}},
      {"<f2", bytes_of<std::uint16_t>({0x3C01, 0xFBFF}), {1 + 1 / 1024.0, -65504}},
      {"<f2", bytes_of<std::uint16_t>({0x0001, 0x8400}), {0x1p-24, -0x1p-14}},
      {"|i1", bytes_of<std::int8_t>({-128, 127}), {-128, 127}},
      {"|u1", bytes_of<std::uint8_t>({200, 255}), {200, 255}},
      {"<i2", bytes_of<std::int16_t>({-32768, 5}), {-32768, 5}},
      {">i2", bytes_of<std::int16_t>({-32768, 5}, true), {-32768, 5}},
      {"<u2", bytes_of<std::uint16_t>({65535, 5}), {65535, 5}},
      {"<i4", bytes_of<std::int32_t>({-2147483647 - 1, 7}), {-2147483648.0, 7}},
      {"<u4", bytes_of<std::uint32_t>({4294967295U, 7}), {4294967295.0, 7}},
      {"<i8", bytes_of<std::int64_t>({INT64_MIN, 1LL << 53}), {-0x1p63, 0x1p53}},
      {"<u8", bytes_of<std::uint64_t>({1ULL << 63, 3}), {0x1p63, 3}},
      {"|b1", std::string("\1\0", 2), {1, 0}},
  }));
  INFO(dtype);
  const Matrix matrix = parse_npy(npy(header(dtype), bytes), "Q.npy");
  CHECK(matrix.rows == 1);
  CHECK(matrix.cols == 2);
  CHECK(matrix.entries == entries);
}

TEST_CASE("npy: NaN and infinities are read, whoever looks at them decides", "[npy]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const Matrix wide = parse_npy(npy(header("<f8"), bytes_of<double>({nan, -infinity})), "");
  CHECK(std::isnan(wide(0, 0)));
  CHECK(wide(0, 1) == -infinity);
  const Matrix half = parse_npy(npy(header("<f2"), bytes_of<std::uint16_t>({0x7E00, 0xFC00})), "");
  CHECK(std::isnan(half(0, 0)));
  CHECK(half(0, 1) == -infinity);
}

TEST_CASE("npy: Fortran order, versions and any way to write the header", "[npy]") {
  const std::string six = bytes_of<double>({1, 2, 3, 4, 5, 6});
  const auto read = [&](const std::string& text, int version = 1) {
    const Matrix matrix = parse_npy(npy(text, six, version), "Q.npy");
    CHECK(matrix.rows == 2);
    CHECK(matrix.cols == 3);
    return matrix.entries;
  };
  const Entries rows{1, 2, 3, 4, 5, 6};
  CHECK(read(header("<f8", "(2, 3)", "True")) == Entries{1, 3, 5, 2, 4, 6});
  for (const int version : {1, 2, 3}) CHECK(read(header("<f8", "(2, 3)"), version) == rows);
  CHECK(read("{'shape':(2,3),'fortran_order':False,'descr':'<f8'}") == rows);
  CHECK(read("{\"shape\": (2L, 3L,), \"descr\": \"<f8\", \"fortran_order\": False}") == rows);
  CHECK(read(header("<f8", "(2, 3)") + std::string(60000, ' ')) == rows);
  CHECK(read(header("<f8", "(2, 3)") + std::string(100000, ' '), 3) == rows);
}

TEST_CASE("npy: what is damaged, forged or no matrix is refused by name", "[npy]") {
  const std::string two = bytes_of<double>({1, 2});
  const std::string good = npy(header("<f8"), two);
  const auto [bytes, part] = GENERATE_REF(table<std::string, std::string>({
      {"", "is not a .npy file"},
      {"1,2\n", "is not a .npy file"},
      {"\x93NUMPY", "ends inside the header"},
      {good.substr(0, 9), "ends inside the header"},
      {good.substr(0, 40), "ends inside the header"},
      {std::string("\x93NUMPY\2\0\xff\xff\xff\xff{", 13), "ends inside the header"},
      {npy(header("<f8"), two, 4), "version 4.0"},
      {good.substr(0, good.size() - 1), "cut off"},
      {good + "x", "too long"},
      {npy(header("<f8", "(2, 1)", "True"), two + two), "too long"},
      {npy(header("<f8", "(4294967296, 4294967296)"), two), "cut off"},
      {npy(header("<f8", "(2305843009213693953, 1)"), bytes_of<double>({1})), "cut off"},
      {npy(header("<f8", "(18446744073709551615, 2)"), two), "cut off"},
      {npy(header("<f8", "(18446744073709551616, 2)"), two), "an extent"},
      {npy(header("<f8", "(-1, 2)"), two), "an extent"},
      {npy(header("<f8", "(1, 2.0)"), two), "no ')'"},
      {npy(header("<f8", "(2,)"), two), "shape (2,)"},
      {npy(header("<f8", "()"), two), "shape ()"},
      {npy(header("<f8", "(1, 1, 2)"), two), "shape (1, 1, 2)"},
      {npy(header("<f8", "(0, 2)"), ""), "no entry"},
      {npy(header("<f8", "(2, 0)"), ""), "no entry"},
      {npy(header("<c16", "(1, 1)"), two), "dtype '<c16'"},
      {npy(header("<c16", "(1, 1)"), two), "astype"},
      {npy(header("|O"), two), "dtype '|O'"},
      {npy(header("<U1"), two), "dtype '<U1'"},
      {npy(header("<f16", "(1, 1)"), two), "dtype '<f16'"},
      {npy(header(""), two), "dtype ''"},
      {npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1, 2)}", two), "records"},
      {npy("{'descr': '<f8', 'fortran_order': 0, 'shape': (1, 2)}", two), "no 'False'"},
      {npy("{'descr': '<f8', 'fortran_order': False}", two), "not all of"},
      {npy("{'descr': '<f8', 'descr': '<f8'}", two), "'descr'"},
      {npy("{'descr': '<f8', 'colour': 1}", two), "'colour'"},
      {npy("{'descr': '<f8", two), "closing quote"},
      {npy(header("<f8") + "x", two), "text after"},
      {npy("[1]", two), "no '{'"},
      {npy(header("<i8"), bytes_of<std::int64_t>({1, (1LL << 53) + 1})), "entry [0, 1]"},
      {npy(header("<i8"), bytes_of<std::int64_t>({INT64_MAX, 1})), "entry [0, 0]"},
      {npy(header("<u8"), bytes_of<std::uint64_t>({1, UINT64_MAX})), "entry [0, 1]"},
      {npy(header("|b1"), "\1\2"), "entry [0, 1]"},
  }));
  const std::string sentence = complaint_npy(bytes);
  INFO(sentence);
  CHECK(sentence.starts_with("Q.npy: "));
  CHECK_THAT(sentence, ROOTDK_CONTAINS(part));
}

TEST_CASE("npy: any truncation of a file is refused", "[npy]") {
  const std::string good = npy(header("<f4", "(2, 3)"), bytes_of<float>({1, 2, 3, 4, 5, 6}));
  REQUIRE(complaint_npy(good) == "accepted");
  for (std::size_t size = 0; size < good.size(); ++size) {
    INFO(size);
    CHECK(complaint_npy(good.substr(0, size)) != "accepted");
  }
}

TEST_CASE("npy: what this project writes it reads back", "[npy]") {
  for (const Matrix& matrix : {Matrix{1, 1, {0.1}}, Matrix{3, 1, {1, 2, 3}},
                               Matrix{1, 3, {1, -0.0, 5e-324}}, Matrix{2, 2, {1, 2, 3, 4}}}) {
    const Matrix npy_again = parse_npy(npy_bytes(matrix.view()), "");
    const Matrix csv_again = parse_csv(csv_bytes(matrix), "");
    for (const Matrix& again : {npy_again, csv_again}) {
      CHECK(again.rows == matrix.rows);
      CHECK(again.cols == matrix.cols);
      CHECK(again.entries == matrix.entries);
    }
  }
}

TEST_CASE("csv: what is no row of decimal numbers is refused by line and field", "[csv]") {
  const std::map<std::string, std::string> sentences{
      {"blank_line_inside", ":2: the line is blank"},
      {"decimal_comma", ":1: field 2 is \"5;-2;0\""},
      {"empty", ":1: the file holds no number"},
      {"empty_field", ":1: field 2 is empty"},
      {"header", ":1: field 1 is \"a\""},
      {"hex", ":1: field 1 is \"0x10\""},
      {"index_column", ":1: field 1 is empty"},
      {"nan", ":1: field 1 is \"nan\""},
      {"only_newlines", ":1: the file holds no number"},
      {"overflow", ":1: field 1 is \"1e999\", beyond"},
      {"quoted", ":1: field 1 is \"\"1.5\"\""},
      {"ragged", ":2: the row has 2 fields, those above have 3"},
      {"semicolon", ":1: field 1 is \"1.5;-2;3e-1\""},
      {"tab", ":1: field 1 is \"1.5\\x09-2\\x093e-1\""},
      {"text_after_number", ":1: field 1 is \"1.5x\""},
      {"trailing_comma", ":1: field 4 is empty"},
      {"two_numbers", ":1: field 1 is \"1.5 7\""},
      {"underscore", ":1: field 1 is \"1_000\""},
  };
  const std::filesystem::path folder = ROOTDK_SOURCE_DIR "/tests/data/worked_example/csv-matrix";
  const Matrix wanted = read_matrix(folder / "expect.npy");
  std::size_t bad = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    INFO(name);
    if (name.starts_with("ok_")) {
      const Matrix found = read_matrix(entry.path());
      CHECK(found.rows == wanted.rows);
      CHECK(found.entries == wanted.entries);
    } else if (name.starts_with("bad_")) {
      ++bad;
      CHECK_THROWS_WITH(read_matrix(entry.path()), ROOTDK_CONTAINS(sentences.at(name.substr(4))));
      CHECK_THROWS_AS(read_matrix(entry.path()), RequestError);
    }
  }
  CHECK(bad == sentences.size());
}

TEST_CASE("csv: words that are almost numbers", "[csv]") {
  for (const char* word : {"",
                           ".",
                           "-",
                           "+",
                           "+-1",
                           "--1",
                           "e5",
                           "1e",
                           "1e+",
                           "1e5.0",
                           ".e1",
                           "1.2.3",
                           "inf",
                           "-Infinity",
                           "NaN",
                           "1f",
                           "1e-999",
                           "0b1",
                           "1'000",
                           "\xC2\xA0"
                           "1"}) {
    INFO(word);
    const std::string sentence = std::string(word).empty()       ? "field 2 is empty"
                                 : std::string(word) == "1e-999" ? "beyond what float64 holds"
                                                                 : "not one decimal number";
    CHECK_THROWS_WITH(parse_csv("7," + std::string(word) + "\n", "V.csv"),
                      ROOTDK_CONTAINS("V.csv:1: field 2") && ROOTDK_CONTAINS(sentence));
  }
  CHECK(parse_csv("+1,-.5,5.,1e+2,007,-0\n", "V.csv").entries == Entries{1, -0.5, 5, 100, 7, 0});
}

TEST_CASE("A matrix is a regular file with a known ending", "[npy][csv]") {
  const harness::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "folder.npy");
  std::ofstream(folder / "notes.txt") << "1,2\n";
  CHECK_THROWS_WITH(read_matrix(folder / "missing.npy"), ROOTDK_CONTAINS("there is no such file"));
  CHECK_THROWS_WITH(read_matrix(folder / "folder.npy"), ROOTDK_CONTAINS("is no file"));
  CHECK_THROWS_WITH(read_matrix(folder / "notes.txt"), ROOTDK_CONTAINS(".npy or .csv"));
}
