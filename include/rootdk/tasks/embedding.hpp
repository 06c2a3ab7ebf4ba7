#pragma once
#include <algorithm>
#include <span>
#include <vector>

#include "rootdk/autodiff/shape.hpp"
#include "rootdk/random.hpp"

namespace rootdk {

// `rows` fixed vectors of `width` independent N(0, 1) entries: what the symbols of a task look
// like. In float they are the numbers of double, rounded.
template <class T>
class EmbeddingTable {
 public:
  EmbeddingTable(Index rows, Index width, const StreamKey& key)
      : width_(static_cast<std::size_t>(width)), entries_(static_cast<std::size_t>(rows) * width_) {
    Stream stream(key);
    fill_normal(stream, std::span<T>(entries_));
  }

  std::span<const T> operator[](Index row) const {
    return std::span<const T>(entries_).subspan(static_cast<std::size_t>(row) * width_, width_);
  }

 private:
  std::size_t width_;
  std::vector<T> entries_;
};

// Writes a vector and returns where it ended.
template <class T>
T* write_vector(T* to, std::span<const T> vector) {
  return std::copy(vector.begin(), vector.end(), to);
}

// Writes factor * vector, rounded once to T.
template <class T>
T* write_scaled(T* to, std::span<const double> vector, double factor) {
  for (const double entry : vector) *to++ = static_cast<T>(factor * entry);
  return to;
}

}  // namespace rootdk
