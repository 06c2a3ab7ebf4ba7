#include "train_retrieval/result_table.hpp"

#include <algorithm>
#include <iomanip>
#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "common/logged_table.hpp"
#include "common/median.hpp"

namespace rootdk {
namespace {

// Keeps the order of first appearance, which is the order of the sweep.
template <class Key>
std::size_t position(std::vector<Key>& seen, const Key& key) {
  const auto found = std::find(seen.begin(), seen.end(), key);
  if (found != seen.end()) return static_cast<std::size_t>(found - seen.begin());
  seen.push_back(key);
  return seen.size() - 1;
}

struct Results {
  std::vector<std::vector<std::string>> rows;  // row labels
  std::vector<std::string> rates;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> accuracy;
  std::size_t diverged = 0;
};

const std::vector<std::string> row_labels{"task", "n_tokens", "optimizer", "scale", "d_k"};

Results read(const std::filesystem::path& runs_csv) {
  Results results;
  for (const LoggedTable::Row& row : read_logged_table(runs_csv).rows) {
    std::vector<std::string> label;
    for (const std::string& name : row_labels) label.push_back(row.at(name));
    const auto cell =
        std::pair(position(results.rows, label), position(results.rates, row.at("lr")));
    if (!row.at("final_accuracy").empty()) {
      results.accuracy[cell].push_back(logged_number(row, "final_accuracy"));
    }
    results.diverged += row.at("status") == "diverged" ? 1 : 0;
  }
  return results;
}

}  // namespace

void print_results(const std::filesystem::path& runs_csv, std::ostream& out) {
  const Results results = read(runs_csv);
  std::vector<int> width;
  for (std::size_t i = 0; i < row_labels.size(); ++i) {
    std::size_t longest = row_labels[i].size();
    for (const auto& row : results.rows) longest = std::max(longest, row[i].size());
    width.push_back(static_cast<int>(longest) + 2);
  }
  out << "final accuracy on the evaluation stream, median over seeds\n" << std::left;
  for (std::size_t i = 0; i < row_labels.size(); ++i) out << std::setw(width[i]) << row_labels[i];
  for (const std::string& rate : results.rates) out << std::right << std::setw(10) << "lr " + rate;
  out << '\n' << std::fixed << std::setprecision(3);
  for (std::size_t r = 0; r < results.rows.size(); ++r) {
    out << std::left;
    for (std::size_t i = 0; i < row_labels.size(); ++i) {
      out << std::setw(width[i]) << results.rows[r][i];
    }
    for (std::size_t c = 0; c < results.rates.size(); ++c) {
      const auto found = results.accuracy.find({r, c});
      out << std::right << std::setw(10);
      found == results.accuracy.end() ? out << "" : out << median(found->second);
    }
    out << '\n';
  }
  if (results.diverged > 0) {
    out << results.diverged << (results.diverged == 1 ? " cell diverged\n" : " cells diverged\n");
  }
}

}  // namespace rootdk
