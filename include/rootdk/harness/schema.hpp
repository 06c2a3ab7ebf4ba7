#pragma once
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace rootdk::harness {

enum class Kind {
  integer,           // 64 bits, signed
  unsigned_integer,  // 64 bits: seeds
  real,              // a finite double
  word,              // one of `words`
  word_or_real,      // one of `words` or a finite number
  boolean,           // true or false
  text,              // anything in quotes: a path
};

// Where the numbers of a key may lie.
struct Range {
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  bool min_excluded = false;
  bool max_excluded = false;

  bool contains(double value) const;
};

inline Range at_least(double min) { return {.min = min}; }
inline Range above(double min) { return {.min = min, .min_excluded = true}; }
inline Range between(double min, double max) { return {.min = min, .max = max}; }
// min <= value < max
inline Range half_open(double min, double max) {
  return {.min = min, .max = max, .max_excluded = true};
}

// One key of a configuration: a line of the file and a flag of the same spelling.
struct Key {
  std::string name{};
  Kind kind = Kind::integer;
  bool list = false;  // may hold several values, to sweep over; a scalar is then a list of one
  std::vector<std::string> defaults{};  // spelled as on the command line; one value unless `list`
  Range range{};                        // of its numbers
  std::vector<std::string> words{};     // the words it allows
  std::string help{};                   // one line
  bool execution = false;  // says how to run, not what: command line only, no part of config.toml
};

// What a binary tells the harness about itself.
struct ExperimentSpec {
  std::string name{};
  std::string description{};  // one paragraph, for --help
  std::vector<Key> keys{};    // in the order of config.toml and of the sweep, the slowest first
};

// The flags every binary has: config out threads dry-run resume overwrite quiet help version.
std::vector<Key> fixed_flags();

// "an integer >= 1", "one of sgd, adam", "a number in (0, 1]"
std::string allowed_values(const Key& key);
// The name most like `word`, whatever the case of its letters, or nothing when none is close.
std::string nearest(std::string_view word, const std::vector<std::string>& names);
// The text of --help.
std::string help_text(const ExperimentSpec& spec);

}  // namespace rootdk::harness
