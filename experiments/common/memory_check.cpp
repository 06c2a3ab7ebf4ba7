#include "common/memory_check.hpp"

#include <algorithm>
#include <cmath>

#include "common/memory_limit.hpp"
#include "common/schema_keys.hpp"

namespace rootdk {
namespace {

using harness::CellPoint;
using harness::Config;

// Everything a running cell holds, rows of its log included; infinite when there is no such task.
double cell_bytes(const Config& point, const CellOfPoint& cell_of) {
  const CellConfig cell = cell_of(point);
  constexpr double bytes_of_logged_step = 2048;
  try {
    const TaskInfo info = find_task(cell.task).info(cell.task_parameters);
    return estimated_bytes(cell, info, static_cast<double>(bytes_of_number(point))) +
           bytes_of_logged_step * static_cast<double>(logged_steps(cell));
  } catch (const TaskError&) {
    return INFINITY;  // its sizes contradict each other
  }
}

}  // namespace

void check_memory(const harness::Request& request, const std::vector<CellPoint>& cells,
                  const CellOfPoint& cell_of, const std::vector<std::string>& sizes) {
  const MemoryNeed need{
      .bytes = [&](const Config& point) { return cell_bytes(point, cell_of); },
      .sizes = sizes,
      .at_once = std::min<std::size_t>(static_cast<std::size_t>(request.threads), cells.size())};
  for (const CellPoint& cell : cells) expect_fits_in_memory(request.config, cell.config, need);
}

}  // namespace rootdk
