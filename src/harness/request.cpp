#include "rootdk/harness/request.hpp"

namespace rootdk::harness {
namespace {

std::filesystem::path output_folder(const Config& config, const std::string& config_file) {
  if (config.origin("out") == "--out") {
    if (config.word("out").empty()) throw RequestError("--out: the name of the folder is empty");
    return config.word("out");
  }
  const std::string name = config_file.empty() ? config.experiment()
                                               : std::filesystem::path(config_file).stem().string();
  return std::filesystem::path("runs") / name;
}

}  // namespace

Request read_request(const ExperimentSpec& spec, const std::vector<std::string>& arguments) {
  std::vector<Key> keys = spec.keys;
  for (Key& flag : fixed_flags()) keys.push_back(std::move(flag));
  const std::vector<RawValue> command_line = parse_command_line(arguments, keys);

  std::string config_file;
  std::vector<RawValue> file;
  for (const RawValue& value : command_line) {
    if (value.key != "config") continue;
    config_file = value.items.front().text;
    if (config_file.empty()) throw RequestError("--config: the name of the file is empty");
    file = read_toml_file(config_file);
  }

  Request request{Config(spec.name, std::move(keys), file, command_line)};
  const Config& config = request.config;
  request.out = output_folder(config, config_file);
  request.threads = static_cast<int>(config.integer("threads"));
  request.dry_run = config.boolean("dry-run");
  request.resume = config.boolean("resume");
  request.overwrite = config.boolean("overwrite");
  request.quiet = config.boolean("quiet");
  if (request.resume && request.overwrite) {
    throw RequestError(
        "--resume keeps the run in the output folder and --overwrite removes it;"
        " give one of them");
  }
  return request;
}

}  // namespace rootdk::harness
