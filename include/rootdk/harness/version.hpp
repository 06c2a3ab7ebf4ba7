#pragma once
#include <string_view>

namespace rootdk::harness {

// The version of the project; a test compares it with the one in CMakeLists.txt.
inline constexpr std::string_view version = "0.1.0";

}  // namespace rootdk::harness
