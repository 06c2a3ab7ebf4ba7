#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace rootdk::harness {

// Writes a file so that a reader, or a restart after a crash, finds all of it or nothing: written
// beside it as <name>.tmp, forced to the disk, renamed. Makes missing folders.
// Throws std::runtime_error naming the path and the cause.
void write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

// Appends to a file, or makes it, and forces it to the disk. Killed on the way it leaves a beginning
// of `bytes`. Throws std::runtime_error naming the path and the cause.
void append_to_file(const std::filesystem::path& path, std::string_view bytes);

// The bytes of a file. Throws std::runtime_error naming the path.
std::string read_file(const std::filesystem::path& path);

}  // namespace rootdk::harness
