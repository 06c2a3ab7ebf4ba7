#pragma once
#include <string>
#include <vector>

#include "rootdk/harness/request.hpp"

namespace rootdk::harness {

// A schema with a key of every kind, spelled like the experiments' own.
inline ExperimentSpec toy_spec() {
  return {
      .name = "toy",
      .description = "Learns nothing.",
      .keys = {
          Key{.name = "task",
              .kind = Kind::word,
              .list = true,
              .defaults = {"lookup"},
              .words = {"lookup", "successor"},
              .help = "what to learn"},
          Key{.name = "scale",
              .kind = Kind::word_or_real,
              .list = true,
              .defaults = {"none", "inv_sqrt_dk"},
              .words = {"none", "inv_sqrt_dk"},
              .help = "factor of the scores"},
          Key{.name = "n_tokens",
              .list = true,
              .defaults = {"8"},
              .range = at_least(2),
              .help = "tokens"},
          Key{.name = "d_k",
              .list = true,
              .defaults = {"16", "64"},
              .range = between(1, 4096),
              .help = "width of a key"},
          Key{.name = "lr",
              .kind = Kind::real,
              .list = true,
              .defaults = {"1.0"},
              .range = above(0),
              .help = "learning rate"},
          Key{.name = "optimizer",
              .kind = Kind::word,
              .list = true,
              .defaults = {"sgd"},
              .words = {"sgd", "adam"},
              .help = "update rule"},
          Key{.name = "seed",
              .kind = Kind::unsigned_integer,
              .list = true,
              .defaults = {"1"},
              .help = "of every stream"},
          Key{.name = "steps", .defaults = {"5"}, .range = at_least(0), .help = "updates"},
          Key{.name = "batch_size", .defaults = {"4"}, .range = at_least(1), .help = "sequences"},
          Key{.name = "slot_dim", .defaults = {"8"}, .range = at_least(1), .help = "width"},
          Key{.name = "n_classes", .defaults = {"4"}, .range = at_least(2), .help = "values"},
          Key{.name = "momentum",
              .kind = Kind::real,
              .defaults = {"0"},
              .range = half_open(0, 1),
              .help = "of sgd"},
          Key{.name = "causal", .kind = Kind::boolean, .defaults = {"false"}, .help = "mask"},
          Key{.name = "d-output", .kind = Kind::text, .defaults = {""}, .help = "a matrix"},
      }};
}

// The configuration of a TOML text and a command line.
inline Config toy_config(const std::string& document, const std::vector<std::string>& flags = {}) {
  std::vector<Key> keys = toy_spec().keys;
  for (Key& flag : fixed_flags()) keys.push_back(flag);
  return Config("toy", keys, parse_toml(document, "a.toml"), parse_command_line(flags, keys));
}

// The sentence of the RequestError that `call` throws; "accepted" when it throws none.
template <class Call>
std::string complaint(const Call& call) {
  try {
    call();
    return "accepted";
  } catch (const RequestError& error) {
    return error.what();
  }
}

}  // namespace rootdk::harness
