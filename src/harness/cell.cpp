#include "rootdk/harness/cell.hpp"

#include <algorithm>
#include <functional>

namespace rootdk::harness {
namespace {

constexpr std::size_t most_cells = 100'000;

std::vector<CellPoint> product_if(const Config& config,
                                  const std::function<bool(const Key&)>& swept) {
  std::vector<Config> points{config};
  for (const Key& key : config.keys()) {
    if (!swept(key)) continue;
    const std::vector<std::string>& values = config.words(key.name);
    if (values.size() > most_cells / points.size()) {
      throw config.error(key.name, "the product of all lists has more than " +
                                       std::to_string(most_cells) + " cells");
    }
    std::vector<Config> finer;
    for (const Config& point : points) {
      for (const std::string& value : values) finer.push_back(point.with(key.name, value));
    }
    points = std::move(finer);
  }
  std::vector<CellPoint> cells;
  for (Config& point : points) cells.push_back({cells.size(), std::move(point)});
  return cells;
}

}  // namespace

std::vector<CellPoint> product(const Config& config) {
  return product_if(config, [](const Key& key) { return key.list; });
}

std::vector<CellPoint> product(const Config& config, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) config.words(key);  // throws when there is no such key
  return product_if(config, [&](const Key& key) {
    return std::find(keys.begin(), keys.end(), key.name) != keys.end();
  });
}

}  // namespace rootdk::harness
