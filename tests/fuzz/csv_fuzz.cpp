// Any bytes as a .csv matrix: read, or refused with a RequestError. What is read is written as .csv again,
// and reads back as the same numbers.
#include "fuzz.hpp"
#include "rootdk/harness/error.hpp"
#include "worked_example/matrix_file.hpp"

using namespace rootdk;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Matrix matrix = parse_csv(text_of(data, size), "Q.csv");
    const Matrix again = parse_csv(csv_bytes(matrix), "Q.csv");
    expect(again.rows == matrix.rows && again.cols == matrix.cols);
    expect(again.entries == matrix.entries);
  } catch (const harness::RequestError& error) {
    expect_one_sentence(error.what());
  }
  return 0;
}
