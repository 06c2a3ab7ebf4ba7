#include "common/logged_table.hpp"

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
  const LoggedTable table = read_logged_table(csv);
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

TEST_CASE("logged table: a header alone has no rows, and a short row is no row", "[csv]") {
  CHECK(read_logged_table("a,b\n").rows.empty());
  CHECK(read_logged_table("").columns.empty());
  CHECK_THROWS_AS(read_logged_table("a,b\n1\n"), std::runtime_error);
}
