#include "rootdk/harness/csv_log.hpp"

#include <cmath>
#include <limits>

#include "catch.hpp"

namespace rootdk::harness {
namespace {

TEST_CASE("CSV numbers are the shortest that read back in their own type", "[harness]") {
  std::string text;
  CsvRow(text).add(0.1F).add(0.1).add(1.0).add(-0.5F).add(1e-7).add(std::size_t{7}).add(-3).end();
  CHECK(text == "0.1,0.1,1,-0.5,1e-07,7,-3\n");
  CHECK(number_text(static_cast<double>(0.1F)) == "0.10000000149011612");
  CHECK(number_text(1.0F / 3.0F) == "0.33333334");
  CHECK(number_text(1.0 / 3.0) == "0.3333333333333333");
}

TEST_CASE("CSV writes nan and inf and -inf and no other name of them", "[harness]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  std::string text;
  CsvRow row(text);
  row.add(nan).add(-nan).add(std::copysign(nan, -1.0)).add(inf).add(-inf);
  row.add(-std::numeric_limits<float>::quiet_NaN()).end();
  CHECK(text == "nan,nan,nan,inf,-inf,nan\n");
}

TEST_CASE("CSV quotes text where it must and only there", "[harness]") {
  std::string text;
  CsvRow(text).add("plain word").add("a,b").add("say \"hi\"").add("two\nlines").add("").end();
  CHECK(text == "plain word,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\n");
}

TEST_CASE("An empty cell keeps its place", "[harness]") {
  std::string text;
  CsvRow(text).add(empty_cell).add(1).add(empty_cell).end();
  CHECK(text == ",1,\n");
}

TEST_CASE("Rows of a table begin with its prefix and have as many fields as its columns",
          "[harness]") {
  CsvRows rows(2, "0,none", 2);
  rows.append(1, 0.5);
  rows.append(2, empty_cell);
  CHECK(rows.text() == "0,none,1,0.5\n0,none,2,\n");
  CHECK_THROWS_AS(rows.append(1), std::logic_error);
  CHECK_THROWS_AS(rows.append(1, 2, 3), std::logic_error);
  CHECK(csv_header({"run", "a,b"}) == "run,\"a,b\"\n");
}

TEST_CASE("Numbers are read whole or not at all", "[harness]") {
  CHECK(parse_integer("-12") == -12);
  CHECK(parse_real("1e-5") == 1e-5);
  CHECK(std::signbit(parse_real("-0").value()) == false);
  for (const char* text : {"", "-", "1 ", " 1", "+1", "01", "1.0", "1e3", "0x1", "1_0"}) {
    INFO(text);
    CHECK_FALSE(parse_integer(text).has_value());
    CHECK_FALSE(parse_unsigned(text).has_value());
  }
  for (const char* text : {"", "-", "1 ", "+1", "0x1p1", "nan", "inf", "1e400", "1e-400", "0,5"}) {
    INFO(text);
    CHECK_FALSE(parse_real(text).has_value());
  }
}

}  // namespace
}  // namespace rootdk::harness
