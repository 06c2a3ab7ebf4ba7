#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "common/matrix.hpp"

namespace rootdk {

// Matrices of other people's making, read strictly: every entry is the very value that the file
// holds, or the file is refused. A file takes memory in proportion to its size, whatever it claims.
// Throw harness::RequestError: one sentence that begins with the name of the file.

// From a file that ends in .npy or .csv.
Matrix read_matrix(const std::filesystem::path& path);

// The bytes of a numpy .npy file of rank 2 (numpy.lib.format): versions 1 to 3, C or Fortran order,
// either byte order, floats of 16, 32 and 64 bits (NaN and infinities included), bool, and integers
// that a double holds exactly.
Matrix parse_npy(std::string_view bytes, const std::string& name);

// Rows of decimal numbers between commas, all of one length: no header, no quotes, no nan. A byte
// order mark, CRLF, blanks around a number, blank lines at the end and a missing last newline are
// fine. Errors are name:line: sentence.
Matrix parse_csv(std::string_view text, const std::string& name);

// What parse_csv reads back to the same entries, where they are finite.
std::string csv_bytes(const Matrix& matrix);

}  // namespace rootdk
