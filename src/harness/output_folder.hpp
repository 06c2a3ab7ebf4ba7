#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "rootdk/harness/request.hpp"

namespace rootdk::harness {

// What may stand in an output folder before a run.

// Throws RequestError when the request may not use its folder as it is; changes nothing. `results`
// are the files that every run of this kind leaves. A dry run without --resume and --overwrite may
// find a run in the folder.
void check_output_folder(const Request& request, const std::vector<std::string>& results);
// Makes the folder and its parents. Throws RequestError when that is impossible, and leaves none.
void make_output_folder(const std::filesystem::path& folder);
// Removes what the run in this folder made, and nothing else: its parts, the files it noted, the
// folders that this leaves empty, config.toml.
void remove_run(const std::filesystem::path& folder);

}  // namespace rootdk::harness
