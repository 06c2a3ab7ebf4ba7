#include "rootdk/tasks/embedding.hpp"

namespace rootdk {

EmbeddingTable::EmbeddingTable(Index rows, Index width, const StreamKey& key)
    : width_(static_cast<std::size_t>(width)), entries_(static_cast<std::size_t>(rows) * width_) {
  Stream stream(key);
  fill_normal(stream, std::span(entries_));
}

}  // namespace rootdk
