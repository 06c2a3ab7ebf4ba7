#include "bench/freed_memory.hpp"

#include <limits>
#include <malloc.h>

namespace rootdk {

bool keep_freed_memory() {
  constexpr int largest_kept =
      32 << 20;  // glibc takes no larger one; n = 2048 has matrices of half
  return mallopt(M_MMAP_THRESHOLD, largest_kept) == 1 &&
         mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max()) == 1 &&
         mallopt(M_ARENA_MAX, 1) == 1;  // those of other threads are cut into pieces
}

}  // namespace rootdk
