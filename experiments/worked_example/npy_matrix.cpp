#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "rootdk/harness/error.hpp"
#include "worked_example/matrix_file.hpp"
#include "worked_example/npy_header.hpp"

namespace rootdk {
namespace {

using harness::RequestError;
using Bits = std::uint64_t;  // an entry, in the low bytes
using Value = std::optional<double>;

// IEEE 754 binary16: 1 bit sign, 5 bits exponent, 10 bits fraction.
Value half(Bits bits) {
  const int exponent = static_cast<int>(bits >> 10) & 31;
  const auto fraction = static_cast<double>(bits & 1023);
  double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  if (exponent == 31) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    size = fraction == 0 ? infinity : std::numeric_limits<double>::quiet_NaN();
  }
  return (bits & 0x8000U) != 0 ? -size : size;
}

// Nothing when no double has this value.
template <class Integer>
Value integer(Bits bits) {
  const auto value = static_cast<Integer>(bits);
  const auto number = static_cast<double>(value);
  const double beyond = std::ldexp(1.0, std::numeric_limits<Integer>::digits);
  if (number == beyond || static_cast<Integer>(number) != value) return std::nullopt;
  return number;
}

struct Dtype {
  std::string_view code;  // numpy's, without the byte order
  std::size_t bytes;
  Value (*value)(Bits);
};

constexpr std::array dtypes{
    Dtype{"f8", 8, [](Bits bits) -> Value { return std::bit_cast<double>(bits); }},
    Dtype{
        "f4", 4,
        [](Bits bits) -> Value { return std::bit_cast<float>(static_cast<std::uint32_t>(bits)); }},
    Dtype{"f2", 2, half},
    Dtype{"i1", 1, integer<std::int8_t>},
    Dtype{"i2", 2, integer<std::int16_t>},
    Dtype{"i4", 4, integer<std::int32_t>},
    Dtype{"i8", 8, integer<std::int64_t>},
    Dtype{"u1", 1, integer<std::uint8_t>},
    Dtype{"u2", 2, integer<std::uint16_t>},
    Dtype{"u4", 4, integer<std::uint32_t>},
    Dtype{"u8", 8, integer<std::uint64_t>},
    Dtype{"b1", 1,
          [](Bits bits) -> Value {
            if (bits > 1) return std::nullopt;
            return static_cast<double>(bits);
          }},
};

const Dtype& find_dtype(const std::string& written, const std::string& name) {
  const bool has_order =
      !written.empty() && std::string_view("<>|=").find(written[0]) != std::string_view::npos;
  for (const Dtype& dtype : dtypes) {
    if (std::string_view(written).substr(has_order ? 1 : 0) == dtype.code) return dtype;
  }
  throw RequestError(name + ": has dtype '" + written.substr(0, 40) +
                     "'; in Python, np.save(path, array.astype(\"float64\")) writes one that can be"
                     " read");
}

bool is_big_endian(const std::string& dtype) {
  return dtype[0] == '>' || (dtype[0] != '<' && std::endian::native == std::endian::big);
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const std::uint64_t extent : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

// The shape fits the bytes that are there: a forged one asks for no memory.
void check_size(const NpyHeader& header, std::size_t entry, std::size_t held,
                const std::string& name) {
  const std::string shape = shape_text(header.shape);
  if (header.shape.size() != 2) {
    throw RequestError(name + ": has shape " + shape +
                       ", and a matrix has two axes (in Python, array.reshape(rows, columns))");
  }
  const std::uint64_t rows = header.shape[0], cols = header.shape[1];
  if (rows == 0 || cols == 0)
    throw RequestError(name + ": has shape " + shape + ", no entry at all");
  const bool fits = rows <= held / entry && cols <= held / entry / rows;
  if (fits && rows * cols * entry == held) return;
  throw RequestError(name + ": has shape " + shape + " with " + std::to_string(entry) +
                     " bytes an entry, but " + std::to_string(held) + " bytes of entries: it is " +
                     (fits ? "too long" : "cut off"));
}

}  // namespace

Matrix parse_npy(std::string_view bytes, const std::string& name) {
  const NpyHeader header = parse_npy_header(bytes, name);
  const Dtype& dtype = find_dtype(header.dtype, name);
  const std::string_view held = bytes.substr(header.bytes);
  check_size(header, dtype.bytes, held.size(), name);

  Matrix matrix =
      matrix_of_zeros(static_cast<Index>(header.shape[0]), static_cast<Index>(header.shape[1]));
  const bool big_endian = is_big_endian(header.dtype);
  for (Index i = 0; i < matrix.rows; ++i) {
    for (Index j = 0; j < matrix.cols; ++j) {
      const Index entry = header.fortran_order ? j * matrix.rows + i : i * matrix.cols + j;
      const std::string_view stored =
          held.substr(static_cast<std::size_t>(entry) * dtype.bytes, dtype.bytes);
      Bits bits = 0;
      for (std::size_t b = 0; b < dtype.bytes; ++b) {  // the most significant first
        const std::size_t at = big_endian ? b : dtype.bytes - 1 - b;
        bits = bits << 8 | static_cast<unsigned char>(stored[at]);
      }
      const Value value = dtype.value(bits);
      if (!value) {
        throw RequestError(name + ": entry [" + std::to_string(i) + ", " + std::to_string(j) +
                           "] of dtype '" + header.dtype + "' has no exact value in float64");
      }
      matrix(i, j) = *value;
    }
  }
  return matrix;
}

}  // namespace rootdk
