#pragma once
#include <cstddef>
#include <vector>

#include "rootdk/harness/config.hpp"

namespace rootdk::harness {

// One point of a sweep: a configuration in which every key swept over holds one value.
struct CellPoint {
  std::size_t number = 0;
  Config config;
};

// The product of all keys that may be lists, numbered from 0; the last key of the schema varies
// fastest. Throws RequestError when there are more than 100000 points.
std::vector<CellPoint> product(const Config& config);
// The product of these keys only, in the order of the schema; other keys keep their lists.
std::vector<CellPoint> product(const Config& config, const std::vector<std::string>& keys);

}  // namespace rootdk::harness
