#pragma once
// An independent Monte Carlo of softmax at initialisation: 400 000 queries a row, drawn in numpy
// from the exact law of the scores. Columns <name>_mean, _se, _rms, _med, _medse, _q05, _q95.
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

class SaturationTable {
 public:
  using Row = std::map<std::string, std::string>;

  SaturationTable() {
    std::ifstream file(ROOTDK_SOURCE_DIR "/tests/data/saturation/monte_carlo.csv");
    std::string line;
    std::getline(file, line);
    const std::vector<std::string> header = fields(line);
    while (std::getline(file, line)) {
      const std::vector<std::string> values = fields(line);
      Row row;
      for (std::size_t i = 0; i < header.size(); ++i) row[header[i]] = values.at(i);
      rows_.push_back(row);
    }
    if (rows_.size() != 38) throw std::runtime_error("the Monte Carlo table is not whole");
  }

  const std::vector<Row>& rows() const { return rows_; }
  // scale: "1", "rsqrt" or "1/d"
  const Row& at(int n, int d, const std::string& scale) const {
    for (const Row& row : rows_) {
      if (row.at("n") == std::to_string(n) && row.at("d") == std::to_string(d) &&
          row.at("scale") == scale) {
        return row;
      }
    }
    throw std::out_of_range("no such row");
  }

 private:
  static std::vector<std::string> fields(const std::string& line) {
    std::vector<std::string> result;
    std::istringstream text(line);
    for (std::string field; std::getline(text, field, ',');) result.push_back(field);
    return result;
  }

  std::vector<Row> rows_;
};

inline double number(const SaturationTable::Row& row, const std::string& column) {
  return std::stod(row.at(column));
}
