#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "rootdk/harness/run_directory.hpp"

namespace rootdk::harness {

// What may stand in an output folder before a run.

// The files that every run with these tables leaves beside its config.toml.
std::vector<std::string> results_of(const std::vector<CsvTable>& tables,
                                    const std::vector<DerivedFile>& derived);
// Throws RequestError when the request may not use its folder as it is; changes nothing. A dry run
// without --resume and --overwrite may find a run in the folder.
void check_output_folder(const Request& request, const std::vector<std::string>& results);
// Makes the folder and its parents. Throws RequestError when that is impossible, and leaves none.
void make_output_folder(const std::filesystem::path& folder);
// Removes what the run in this folder made, and nothing else: its parts, the files it noted, the
// folders that this leaves empty, config.toml.
void remove_run(const std::filesystem::path& folder);

}  // namespace rootdk::harness
