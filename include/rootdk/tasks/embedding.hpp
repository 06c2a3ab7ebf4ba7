#pragma once
#include <span>
#include <vector>

#include "rootdk/autodiff/shape.hpp"
#include "rootdk/random.hpp"

namespace rootdk {

// `rows` fixed vectors of `width` independent N(0, 1) entries: what the symbols of a task look
// like. Kept in double whatever the precision of a batch, which gets these numbers rounded.
class EmbeddingTable {
 public:
  EmbeddingTable(Index rows, Index width, const StreamKey& key);

  std::span<const double> operator[](Index row) const {
    return std::span(entries_).subspan(static_cast<std::size_t>(row) * width_, width_);
  }

 private:
  std::size_t width_;
  std::vector<double> entries_;
};

// Writes factor * vector, rounded once to T, and returns where it ended.
template <class T>
T* write_vector(T* to, std::span<const double> vector, double factor = 1) {
  for (const double entry : vector) *to++ = static_cast<T>(factor * entry);
  return to;
}

}  // namespace rootdk
