#include "common/memory_limit.hpp"

#include <cmath>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace rootdk {
namespace {

// The size to blame: of those that somebody chose, the one whose smallest value would save most; of the
// defaults, if nobody chose any.
std::string largest_size(const harness::Config& point, const MemoryNeed& need) {
  std::string largest;
  double least = INFINITY;
  bool chosen = false;
  for (const std::string& key : need.sizes) {
    const bool is_chosen = !point.origin(key).starts_with("default of");
    if (chosen && !is_chosen) continue;
    const double without = need.bytes(point.with(key, "2"));
    if (largest.empty() || without < least || (is_chosen && !chosen)) {
      largest = key;
      least = without;
      chosen = is_chosen;
    }
  }
  return largest;
}

}  // namespace

double physical_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

bool fits_in_memory(double bytes) { return bytes <= 0.9 * physical_memory(); }

void expect_fits_in_memory(const harness::Config& config, const harness::Config& point,
                           const MemoryNeed& need) {
  const double needed = need.bytes(point) * static_cast<double>(need.at_once);
  if (fits_in_memory(needed)) return;
  const std::string key = largest_size(point, need);
  const bool many = need.at_once > 1;
  std::ostringstream text;
  text.precision(3);
  text << key << " = " << point.word(key) << " needs about " << needed / 0x1p30 << " GiB";
  if (many) text << " for " << need.at_once << " cells at once";
  text << ", and this machine has " << physical_memory() / 0x1p30 << " GiB: take a smaller value"
       << (many ? " or fewer --threads" : "");
  throw config.error(key, text.str());
}

double available_memory() {
  std::ifstream lines("/proc/meminfo");
  for (std::string key, rest; lines >> key; std::getline(lines, rest)) {
    double kibibytes = 0;
    if (key == "MemAvailable:" && lines >> kibibytes) return kibibytes * 1024;
  }
  return physical_memory();  // a kernel that does not say
}

}  // namespace rootdk
