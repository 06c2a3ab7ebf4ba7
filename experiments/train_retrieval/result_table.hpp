#pragma once
#include <filesystem>
#include <iosfwd>

namespace rootdk {

// Prints a short table of a finished run: final accuracy, the median over seeds, with a row for each
// task, n_tokens, optimizer, scale and d_k and a column for each learning rate.
void print_results(const std::filesystem::path& runs_csv, std::ostream& out);

}  // namespace rootdk
