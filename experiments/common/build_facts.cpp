#include "common/build_facts.hpp"

#include <xtensor/xtensor_config.hpp>

#include "revision.hpp"  // written at each build
#include "rootdk/gemm/gemm.hpp"

namespace rootdk {

harness::Facts build_facts() {
  return {{"git_revision", ROOTDK_REVISION},
          {"compiler", ROOTDK_COMPILER},
          {"flags", ROOTDK_FLAGS},
          {"tile", std::string(tile_description())},
          {"blas", std::string(blas_description())},
          {"xtensor", std::to_string(XTENSOR_VERSION_MAJOR) + "." +
                          std::to_string(XTENSOR_VERSION_MINOR) + "." +
                          std::to_string(XTENSOR_VERSION_PATCH)}};
}

}  // namespace rootdk
