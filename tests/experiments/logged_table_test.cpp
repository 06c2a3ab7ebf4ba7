#include "common/logged_table.hpp"

#include <cmath>

#include "catch.hpp"
#include "rootdk/harness/csv_log.hpp"

using namespace rootdk;

TEST_CASE("logged table: what a row of CSV was made of comes back", "[csv]") {
  std::string csv = harness::csv_header({"name", "with, comma", "value"});
  for (const char* text :
       {"plain", "", "a, b", "\"quoted\"", "\"", "two\nlines\r\n", "\"\",\"\""}) {
    harness::CsvRow row(csv);
    row.add(text).add(0.25).add(harness::empty_cell).end();
  }
  const LoggedTable table = read_logged_table(csv, "t.csv");
  CHECK(table.columns == std::vector<std::string>{"name", "with, comma", "value"});
  REQUIRE(table.rows.size() == 7);
  CHECK(table.rows[0].at("name") == "plain");
  CHECK(table.rows[1].at("name").empty());
  CHECK(table.rows[2].at("name") == "a, b");
  CHECK(table.rows[3].at("name") == "\"quoted\"");
  CHECK(table.rows[4].at("name") == "\"");
  CHECK(table.rows[5].at("name") == "two\nlines\r\n");
  CHECK(table.rows[6].at("name") == "\"\",\"\"");
  for (const LoggedTable::Row& row : table.rows) {
    CHECK(row.at("with, comma") == "0.25");
    CHECK(row.at("value").empty());
  }
}

TEST_CASE("logged table: a header alone has no rows", "[csv]") {
  CHECK(read_logged_table("a,b\n", "t.csv").rows.empty());
}

TEST_CASE("logged table: what was damaged is said, with the row", "[csv]") {
  const auto refused = [](const char* csv) {
    try {
      read_logged_table(csv, "t.csv");
      return std::string("accepted");
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
  };
  CHECK_THAT(refused("a,b\n1,2\ngarbage\n"),
             ROOTDK_CONTAINS("t.csv, row 2: fields: 1, under a header of 2; the file is damaged"));
  CHECK_THAT(refused("a,b\n1,2\n3,"), ROOTDK_CONTAINS("t.csv, row 2: cut off before its end"));
  CHECK_THAT(refused("a,b\n1,2\n3,\"4\n"), ROOTDK_CONTAINS("row 2: cut off before its end"));
  CHECK_THAT(refused(""), ROOTDK_CONTAINS("t.csv, row 0: no header"));
  CHECK(refused("a,b\n1,2\n3,4\n") == "accepted");
  const LoggedTable table = read_logged_table("a,b\n1,2\n", "t.csv");
  CHECK_THROWS_WITH(table.rows[0].at("c"), ROOTDK_CONTAINS("no column c"));
}

TEST_CASE("logged table: a field is a number, whole, or said to be none", "[csv]") {
  CHECK(logged_number({{{"x", "-1.5e-3"}}}, "x") == -1.5e-3);
  CHECK(std::isnan(logged_number({{{"x", "nan"}}}, "x")));
  CHECK(logged_number({{{"x", "inf"}}}, "x") == INFINITY);
  for (const char* text : {"", "abc", "1x", " 1"}) {
    CHECK_THROWS_WITH(logged_number({{{"x", text}}}, "x"), ROOTDK_CONTAINS("a logged x is '"));
  }
}
