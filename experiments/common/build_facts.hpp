#pragma once
#include "rootdk/harness/run_directory.hpp"

namespace rootdk {

// What this program was built from and with: compiler, flags, revision, libraries, BLAS kernel.
harness::Facts build_facts();

}  // namespace rootdk
