#pragma once
#include <functional>
#include <string>
#include <vector>

#include "rootdk/harness/config.hpp"

namespace rootdk {

// Bytes of this machine.
double physical_memory();
// At most nine tenths of them.
bool fits_in_memory(double bytes);

// What a cell takes.
struct MemoryNeed {
  // Bytes of one cell at a point of the sweep; infinite where its sizes contradict each other.
  std::function<double(const harness::Config& point)> bytes;
  std::vector<std::string> sizes;  // the keys that decide it; each may be as small as 2
  std::size_t at_once = 1;         // cells that run at the same time
};

// Throws RequestError when such cells do not fit in memory. It names the key that takes most, and says
// where the configuration got it from.
void expect_fits_in_memory(const harness::Config& config, const harness::Config& point,
                           const MemoryNeed& need);

// Bytes that can be had now without taking them from others.
double available_memory();

}  // namespace rootdk
