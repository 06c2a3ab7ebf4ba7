#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rootdk/harness/error.hpp"
#include "rootdk/harness/raw_value.hpp"
#include "rootdk/harness/schema.hpp"

namespace rootdk::harness {

// The value of every key of a schema, validated. Values are kept as canonical text (numbers in
// shortest form), so equal configurations have equal text.
class Config {
 public:
  // Takes each key from `command_line`, else from `file`, else its default.
  // Throws RequestError for an unknown key or a value its key does not allow.
  Config(std::string experiment, std::vector<Key> keys, const std::vector<RawValue>& file,
         const std::vector<RawValue>& command_line);

  // The one value of a key. All accessors throw std::logic_error when the schema has no such key,
  // it is of another kind, or it holds several values.
  std::int64_t integer(std::string_view key) const;
  std::uint64_t unsigned_integer(std::string_view key) const;
  double real(std::string_view key) const;
  bool boolean(std::string_view key) const;
  const std::string& word(std::string_view key) const;  // canonical text, of any kind

  std::vector<std::int64_t> integers(std::string_view key) const;
  std::vector<std::uint64_t> unsigned_integers(std::string_view key) const;
  std::vector<double> reals(std::string_view key) const;
  const std::vector<std::string>& words(std::string_view key) const;  // canonical text, of any kind

  // Where the value came from: "configs/a.toml:7", "--d_k", "default of d_k".
  const std::string& origin(std::string_view key) const;
  // An error about the value of `key`, found later than reading: "<origin>: <message>".
  RequestError error(std::string_view key, const std::string& message) const;

  // This configuration with `key` holding the one value `text` (one of its canonical values).
  Config with(std::string_view key, const std::string& text) const;

  // The resolved configuration: every key but execution flags, in the order of the schema, with its
  // help. Reading it back gives the same configuration.
  std::string toml() const;
  // The first line of toml(): says which program wrote it.
  static std::string toml_mark(std::string_view experiment);

  const std::string& experiment() const { return experiment_; }
  const std::vector<Key>& keys() const { return *keys_; }

 private:
  struct Setting {
    std::vector<std::string> values;
    std::string origin;
  };
  std::size_t position(std::string_view key) const;
  const std::vector<std::string>& values(std::string_view key, Kind kind) const;
  const std::string& value(std::string_view key, Kind kind) const;

  std::string experiment_;
  std::shared_ptr<const std::vector<Key>> keys_;  // shared by all points of a sweep
  std::vector<Setting> settings_;                 // in the order of the keys
};

// The name of the first key, execution flags aside, in which the two differ; empty when none does.
// Both have the same schema.
std::string first_difference(const Config& a, const Config& b);

}  // namespace rootdk::harness
