#include "common/memory_check.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <unistd.h>

namespace rootdk {
namespace {

using harness::CellPoint;
using harness::Config;

double bytes_of_element(const Config& config) { return config.word("dtype") == "float32" ? 4 : 8; }

// Everything a running cell holds, rows of its log included.
double cell_bytes(const Config& point, const CellOfPoint& cell_of) {
  const CellConfig cell = cell_of(point);
  const TaskInfo info = find_task(cell.task).info(cell.task_parameters);
  constexpr double bytes_of_logged_step = 2048;
  return estimated_bytes(cell, info, bytes_of_element(point)) +
         bytes_of_logged_step * static_cast<double>(cell.steps / cell.log_every + 1);
}

// The size that takes most of the memory: the one whose smallest value would save most.
std::string largest_size(const Config& point, const CellOfPoint& cell_of,
                         const std::vector<std::string>& sizes) {
  std::string largest;
  double least = INFINITY;
  for (const std::string& key : sizes) {
    try {
      const double without = cell_bytes(point.with(key, "2"), cell_of);
      if (without < least) largest = key;
      least = std::min(least, without);
    } catch (const TaskError&) {
      // This size cannot be 2 with the others as they are; the next one may.
    }
  }
  return largest;
}

}  // namespace

void check_memory(const harness::Request& request, const std::vector<CellPoint>& cells,
                  const CellOfPoint& cell_of, const std::vector<std::string>& sizes) {
  const double available =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  const auto at_once =
      std::min<std::size_t>(static_cast<std::size_t>(request.threads), cells.size());
  for (const CellPoint& cell : cells) {
    const double needed = cell_bytes(cell.config, cell_of) * static_cast<double>(at_once);
    if (needed <= 0.9 * available) continue;
    const std::string key = largest_size(cell.config, cell_of, sizes);
    std::ostringstream text;
    text.precision(3);
    text << key << " = " << cell.config.word(key) << " needs about " << needed / 0x1p30
         << " GiB for " << at_once << " cells at once, and this machine has " << available / 0x1p30
         << " GiB: take a smaller value or fewer --threads";
    throw request.config.error(key, text.str());
  }
}

}  // namespace rootdk
