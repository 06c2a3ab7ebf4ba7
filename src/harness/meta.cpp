#include "rootdk/harness/meta.hpp"

#include <ctime>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace rootdk::harness {

std::string json_object(const std::vector<std::pair<std::string, std::string>>& pairs) {
  nlohmann::ordered_json object = nlohmann::ordered_json::object();
  for (const auto& [name, value] : pairs) object[name] = value;
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string utc_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

}  // namespace rootdk::harness
