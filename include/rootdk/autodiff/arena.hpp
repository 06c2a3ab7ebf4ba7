#pragma once
#include <cstddef>
#include <memory>
#include <vector>

#include "rootdk/autodiff/view.hpp"

namespace rootdk {

// Bump allocation with stable addresses: memory is handed out from blocks and never given back one
// by one. rewind() makes all of it free again; when it had grown to several blocks they become one
// block of the total size, so that the same sequence of requests then allocates nothing.
class Arena {
 public:
  static constexpr std::size_t alignment = 64;  // a cache line, and the widest vector register

  // Uninitialised memory for `bytes` bytes.
  std::byte* allocate(std::size_t bytes);
  void rewind();

  // A zero-filled, contiguous tensor.
  template <class T>
  View<T> tensor(const Shape& shape) {
    static_assert(std::is_trivially_copyable_v<T>);
    const auto count = static_cast<std::size_t>(shape.size());
    T* first = reinterpret_cast<T*>(allocate(count * sizeof(T)));
    std::uninitialized_value_construct_n(first, count);
    return View<T>(first, shape);
  }

  // Bytes handed out since the last rewind, and bytes held.
  std::size_t used() const { return used_; }
  std::size_t capacity() const { return capacity_; }

 private:
  struct Free {
    void operator()(std::byte* first) const;
  };
  struct Block {
    std::unique_ptr<std::byte, Free> first;
    std::size_t size = 0;
    std::size_t taken = 0;
  };
  void add_block(std::size_t bytes);

  std::vector<Block> blocks_;
  std::size_t used_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace rootdk
