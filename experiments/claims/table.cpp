#include "claims/table.hpp"

#include <array>
#include <stdexcept>
#include <string>

namespace rootdk::claims {

std::span<const Claim* const> table() {
#define ROOTDK_ADDRESS_OF_CLAIM(name) &(name),
  static constexpr std::array claims{ROOTDK_CLAIMS(ROOTDK_ADDRESS_OF_CLAIM)};
#undef ROOTDK_ADDRESS_OF_CLAIM
  return claims;
}

const Claim& find(std::string_view id) {
  for (const Claim* claim : table()) {
    if (claim->id == id) return *claim;
  }
  throw std::out_of_range("no claim " + std::string(id));
}

}  // namespace rootdk::claims
