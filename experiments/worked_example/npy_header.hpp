#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rootdk {

// What a numpy .npy file says about itself, before its entries.
struct NpyHeader {
  std::string dtype{};  // "<f8": byte order, kind, bytes
  bool fortran_order = false;
  std::vector<std::uint64_t> shape{};
  std::size_t bytes = 0;  // up to the first entry
};

// Reads the magic string, the version and the header, a Python dictionary with the keys descr,
// fortran_order and shape in any order (numpy.lib.format, NEP 1). Throws harness::RequestError,
// name: sentence, for anything else.
NpyHeader parse_npy_header(std::string_view file, const std::string& name);

}  // namespace rootdk
