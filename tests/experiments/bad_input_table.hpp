#pragma once
// The table of wrong requests, as text. A row is a paragraph:
//
//   run train_retrieval --config c.toml     the binary (* for each of them) and its arguments
//   line c.toml steps = 5.0                 a line of a file; several make several lines
//   says c.toml:1: steps must be ...        the sentence; {} stands for anything
//
// in which these may stand between run and says, too:
//
//   bytes c.toml steps = 5                  the same without a newline
//   zeros Q.npy 3 4                         a matrix of zeros, float64
//   header Q.npy 96 {'descr': ...}          a .npy file of that header and 96 zero bytes
//   copy Q.csv csv-matrix/bad_tab.csv       a file of tests/data/worked_example
//   folder taken                            an empty folder
//
// `fine` in place of says: the request is right. \xNN is a byte, # begins a comment.
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/binary.hpp"

struct BadInput {
  struct File {
    std::string name, bytes;
    bool is_folder = false;
  };
  std::string origin;  // file:line
  std::string program, arguments;
  std::vector<File> files;
  std::string sentence;  // empty: the request is right
};

namespace bad_input_table {

inline std::string unescaped(const std::string& text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text.compare(i, 2, "\\x") == 0;
    bytes += escape ? static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16)) : text[i];
    if (escape) i += 3;
  }
  return bytes;
}

// Version 1.0 of numpy.lib.format, without its padding.
inline std::string npy(const std::string& header, std::size_t zeros) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + std::string(zeros, '\0');
}

inline BadInput::File file(const std::string& kind, std::istringstream& words) {
  BadInput::File made;
  words >> made.name >> std::ws;
  made.name = unescaped(made.name);
  std::string rest;
  if (kind == "folder") {
    made.is_folder = true;
  } else if (kind == "zeros") {
    std::size_t rows = 0, cols = 0;
    words >> rows >> cols;
    made.bytes = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(rows) +
                         ", " + std::to_string(cols) + "), }",
                     8 * rows * cols);
  } else if (kind == "header") {
    std::size_t zeros = 0;
    words >> zeros >> std::ws;
    std::getline(words, rest);
    made.bytes = npy(unescaped(rest), zeros);
  } else if (kind == "copy") {
    words >> rest;
    made.bytes = read(ROOTDK_SOURCE_DIR "/tests/data/worked_example/" + rest);
  } else if (kind == "line" || kind == "bytes") {
    std::getline(words, rest);
    made.bytes = unescaped(rest) + (kind == "line" ? "\n" : "");
  } else {
    throw std::runtime_error("no row of this table begins with " + kind);
  }
  return made;
}

}  // namespace bad_input_table

inline std::vector<BadInput> read_bad_inputs(const std::filesystem::path& path) {
  std::ifstream table(path);
  std::vector<BadInput> rows;
  BadInput row;
  int number = 0;
  for (std::string line; std::getline(table, line);) {
    ++number;
    std::istringstream words(line);
    std::string kind;
    if (!(words >> kind) || kind[0] == '#') continue;
    if (kind == "run") {
      row = {path.filename().string() + ":" + std::to_string(number), "", "", {}, ""};
      words >> row.program >> std::ws;
      std::getline(words, row.arguments);
      row.arguments = bad_input_table::unescaped(row.arguments);
    } else if (kind == "says" || kind == "fine") {
      words >> std::ws;
      std::getline(words, row.sentence);
      rows.push_back(row);
    } else {
      BadInput::File more = bad_input_table::file(kind, words);
      const bool continues = !row.files.empty() && row.files.back().name == more.name;
      continues ? void(row.files.back().bytes += more.bytes) : row.files.push_back(more);
    }
  }
  return rows;
}
