#pragma once
#include <filesystem>
#include <iosfwd>

namespace rootdk {

// Prints a short table of a finished run to standard output: final accuracy, the median over seeds,
// with a row for each scale and d_k and a column for each learning rate.
void print_results(const std::filesystem::path& runs_csv);
void print_results(std::istream& runs_csv, std::ostream& out);

}  // namespace rootdk
