#include "rootdk/autodiff/arena.hpp"

#include <algorithm>
#include <memory>
#include <new>
#if __has_include(<sys/mman.h>)
#include <sys/mman.h>
#endif

namespace rootdk {
namespace {

constexpr std::size_t first_block = std::size_t{1} << 16;

// Columns of a large matrix lie on a page each, more pages than the TLB holds: where the system offers
// pages of 2 MiB, large blocks take them. Whether it does changes no value.
void prefer_large_pages([[maybe_unused]] std::byte* first, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t page = std::size_t{1} << 21;
  if (bytes < 4 * page) return;
  void* aligned = first;
  if (std::align(page, page, aligned, bytes) != nullptr) {
    madvise(aligned, bytes / page * page, MADV_HUGEPAGE);
  }
#endif
}

}  // namespace

void Arena::Free::operator()(std::byte* first) const {
  ::operator delete (first, std::align_val_t{alignment});
}

void Arena::add_block(std::size_t bytes) {
  auto* first = static_cast<std::byte*>(::operator new (bytes, std::align_val_t{alignment}));
  prefer_large_pages(first, bytes);
  blocks_.push_back({std::unique_ptr<std::byte, Free>(first), bytes, 0});
  capacity_ += bytes;
}

std::byte* Arena::allocate(std::size_t bytes) {
  const std::size_t padded = (bytes + alignment - 1) / alignment * alignment;
  if (blocks_.empty() || blocks_.back().size - blocks_.back().taken < padded) {
    add_block(std::max({padded, capacity_, first_block}));  // doubling: few blocks, however large
  }
  Block& block = blocks_.back();
  std::byte* result = block.first.get() + block.taken;
  block.taken += padded;
  used_ += padded;
  return result;
}

void Arena::rewind() {
  if (blocks_.size() > 1) {
    const std::size_t total = capacity_;
    blocks_.clear();
    capacity_ = 0;
    add_block(total);
  }
  if (!blocks_.empty()) blocks_.back().taken = 0;
  used_ = 0;
}

}  // namespace rootdk
