#include "worked_example/matrix_file.hpp"

#include "rootdk/harness/atomic_file.hpp"
#include "rootdk/harness/csv_log.hpp"
#include "rootdk/harness/error.hpp"

namespace rootdk {

Matrix read_matrix(const std::filesystem::path& path) {
  using harness::RequestError;
  const std::string name = path.string();
  const std::string ending = path.extension().string();
  if (ending != ".npy" && ending != ".csv") {
    throw RequestError(name + ": a matrix is a file that ends in .npy or .csv");
  }
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) throw RequestError(name + ": there is no such file");
  if (!std::filesystem::is_regular_file(path, ignored)) throw RequestError(name + ": is no file");
  std::string bytes;
  try {
    bytes = harness::read_file(path);
  } catch (const std::runtime_error&) {
    throw RequestError(name + ": cannot be read");
  }
  return ending == ".npy" ? parse_npy(bytes, name) : parse_csv(bytes, name);
}

std::string csv_bytes(const Matrix& matrix) {
  std::string text;
  for (Index i = 0; i < matrix.rows; ++i) {
    harness::CsvRow row(text);
    for (Index j = 0; j < matrix.cols; ++j) row.add(matrix(i, j));
    row.end();
  }
  return text;
}

}  // namespace rootdk
