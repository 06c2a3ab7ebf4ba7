#include "worked_example/npy_header.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "rootdk/harness/error.hpp"

namespace rootdk {
namespace {

using harness::RequestError;

// Walks over the few kinds of Python literals that a header may hold.
class Literals {
 public:
  Literals(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  bool take(std::string_view token) {
    skip_blanks();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token)) throw broken("no '" + std::string(token) + "' where one belongs");
  }
  std::string string() {
    const std::string_view quote = take("'") ? "'" : "\"";
    if (quote == "\"") expect(quote);
    const std::size_t end = rest_.find(quote);
    if (end == std::string_view::npos) throw broken("a text without its closing quote");
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }
  bool boolean() {
    if (take("True")) return true;
    expect("False");
    return false;
  }
  std::uint64_t integer() {
    skip_blanks();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) throw broken("an extent that is no integer from 0 to 2^64 - 1");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    take("L");  // as Python 2 wrote long integers
    return value;
  }
  std::vector<std::uint64_t> tuple() {
    std::vector<std::uint64_t> values;
    expect("(");
    while (!take(")")) {
      values.push_back(integer());
      if (take(",")) continue;
      expect(")");
      break;
    }
    return values;
  }
  bool at_end() {
    skip_blanks();
    return rest_.empty();
  }
  RequestError broken(const std::string& what) const {
    return RequestError(name_ + ": the header of this .npy file is damaged: it has " + what);
  }

 private:
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
  }
  std::string_view rest_;
  const std::string& name_;
};

NpyHeader read_dictionary(Literals literals, const std::string& name) {
  std::optional<std::string> dtype;
  std::optional<bool> fortran_order;
  std::optional<std::vector<std::uint64_t>> shape;
  literals.expect("{");
  while (!literals.take("}")) {
    const std::string key = literals.string();
    literals.expect(":");
    if (key == "descr" && !dtype) {
      if (literals.take("[")) {
        throw RequestError(name + ": holds records (a structured dtype), not a matrix of numbers");
      }
      dtype = literals.string();
    } else if (key == "fortran_order" && !fortran_order) {
      fortran_order = literals.boolean();
    } else if (key == "shape" && !shape) {
      shape = literals.tuple();
    } else {
      throw literals.broken("the key '" + key.substr(0, 40) + "', unknown or a second time");
    }
    if (literals.take(",")) continue;
    literals.expect("}");
    break;
  }
  if (!literals.at_end()) throw literals.broken("text after its dictionary");
  if (!dtype || !fortran_order || !shape) {
    throw literals.broken("not all of descr, fortran_order and shape");
  }
  return {*dtype, *fortran_order, *shape};
}

}  // namespace

NpyHeader parse_npy_header(std::string_view file, const std::string& name) {
  constexpr std::string_view magic = "\x93NUMPY";
  if (!file.starts_with(magic)) throw RequestError(name + ": is not a .npy file");
  const RequestError cut_off(name + ": the file ends inside the header of its .npy format");
  const auto byte = [&](std::size_t at) {
    if (at >= file.size()) throw cut_off;
    return static_cast<unsigned char>(file[at]);
  };
  const std::size_t version = byte(6), minor = byte(7);
  if (version < 1 || version > 3 || minor != 0) {
    throw RequestError(name + ": is of .npy format version " + std::to_string(version) + "." +
                       std::to_string(minor) + "; known are 1.0, 2.0 and 3.0");
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  std::size_t length = 0;  // little-endian
  for (std::size_t i = length_bytes; i-- > 0;) length = length * 256 + byte(8 + i);
  const std::size_t begin = 8 + length_bytes;
  if (length > file.size() - begin) throw cut_off;
  NpyHeader header = read_dictionary(Literals(file.substr(begin, length), name), name);
  header.bytes = begin + length;
  return header;
}

}  // namespace rootdk
