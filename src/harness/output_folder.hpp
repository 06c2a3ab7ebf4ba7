#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "rootdk/harness/request.hpp"

namespace rootdk::harness {

// What may stand in an output folder before a run. Used by RunDirectory alone.

// Throws RequestError when the request may not use its folder as it is; changes nothing.
void check_output_folder(const Request& request);
// Makes the folder and its parents. Throws RequestError when that is impossible.
void make_output_folder(const std::filesystem::path& folder);
// Removes what the run in this folder made, and nothing else: these tables, the files that cells
// noted by note_file, the folders of parts, weights, batches and figures, config.toml and meta.json.
void remove_run(const std::filesystem::path& folder, const std::vector<std::string>& tables);
// Notes in the folder that the run makes this file, which lies in the folder itself. Call it before
// the file is written.
void note_file(const std::filesystem::path& folder, const std::string& name);

}  // namespace rootdk::harness
