// Any bytes as a .npy file: read, or refused with a RequestError. What is read is written as .npy again,
// and reads back with the same bits.
#include <bit>

#include "common/npy.hpp"
#include "fuzz.hpp"
#include "rootdk/harness/error.hpp"
#include "worked_example/matrix_file.hpp"

using namespace rootdk;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const Matrix matrix = parse_npy(text_of(data, size), "Q.npy");
    const Matrix again = parse_npy(npy_bytes(matrix.view()), "Q.npy");
    expect(again.rows == matrix.rows && again.cols == matrix.cols);
    for (std::size_t e = 0; e < matrix.entries.size(); ++e) {
      expect(std::bit_cast<std::uint64_t>(again.entries[e]) ==
             std::bit_cast<std::uint64_t>(matrix.entries[e]));
    }
  } catch (const harness::RequestError& error) {
    expect_one_sentence(error.what());
  }
  return 0;
}
