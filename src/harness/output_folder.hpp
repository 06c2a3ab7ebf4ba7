#pragma once
#include <filesystem>

#include "rootdk/harness/request.hpp"

namespace rootdk::harness {

// What may stand in an output folder before a run. Used by RunDirectory alone.

// Throws RequestError when the request may not use its folder as it is; changes nothing.
void check_output_folder(const Request& request);
// Makes the folder and its parents. Throws RequestError when that is impossible.
void make_output_folder(const std::filesystem::path& folder);
// Removes what a run leaves behind, and nothing a run does not make.
void remove_run(const std::filesystem::path& folder);

}  // namespace rootdk::harness
