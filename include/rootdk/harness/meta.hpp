#pragma once
#include <string>
#include <utility>
#include <vector>

namespace rootdk::harness {

// A JSON object of text, in the order given, one pair a line. Bytes that are not UTF-8 are
// replaced.
std::string json_object(const std::vector<std::pair<std::string, std::string>>& pairs);

// "2026-01-31T12:34:56Z"
std::string utc_time();
std::string host_name();

}  // namespace rootdk::harness
