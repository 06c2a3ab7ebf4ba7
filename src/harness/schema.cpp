#include "rootdk/harness/schema.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <thread>

#include "rootdk/harness/number_text.hpp"

namespace rootdk::harness {
namespace {

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

// " >= 1", " in [0, 1)"; empty when every number will do.
std::string range_text(const Range& range) {
  const bool below = std::isfinite(range.max);
  const bool above = std::isfinite(range.min);
  const std::string min = number_text(range.min);
  const std::string max = number_text(range.max);
  if (above && below) {
    return std::string(" in ") + (range.min_excluded ? "(" : "[") + min + ", " + max +
           (range.max_excluded ? ")" : "]");
  }
  if (above) return (range.min_excluded ? " > " : " >= ") + min;
  if (below) return (range.max_excluded ? " < " : " <= ") + max;
  return "";
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Levenshtein, one row at a time; a letter is the same in either case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string default_text(const Key& key) {
  const std::string text = join(key.defaults, ",");
  return text.empty() ? "none given" : text;
}

std::string key_help(const Key& key) {
  std::string text = "  --" + key.name + (key.list ? " LIST" : "") + "\n      " + key.help + "\n";
  if (key.name != "help" && key.name != "version") {
    text += "      " + allowed_values(key) + "; default: " + default_text(key) + "\n";
  }
  return text;
}

}  // namespace

bool Range::contains(double value) const {
  return (min_excluded ? value > min : value >= min) && (max_excluded ? value < max : value <= max);
}

std::vector<Key> fixed_flags() {
  const auto flag = [](std::string name, std::string help) {
    return Key{.name = std::move(name),
               .kind = Kind::boolean,
               .defaults = {"false"},
               .help = std::move(help),
               .execution = true};
  };
  const auto path = [](std::string name, std::string help) {
    return Key{.name = std::move(name),
               .kind = Kind::text,
               .defaults = {""},
               .help = std::move(help),
               .execution = true};
  };
  return {
      path("config", "read the keys from this TOML file; flags beat the file"),
      path("out", "folder of the results (runs/<name of the config file> if not given)"),
      Key{.name = "threads",
          .kind = Kind::integer,
          .defaults = {std::to_string(std::max(1U, std::thread::hardware_concurrency()))},
          .range = between(1, 1024),
          .help = "cells computed at the same time; changes no result",
          .execution = true},
      flag("dry-run", "print the resolved configuration and the number of cells, create nothing"),
      flag("resume", "go on with the run found in the output folder"),
      flag("overwrite", "remove the run found in the output folder first"),
      flag("quiet", "no progress"),
      flag("help", "print this text"),
      flag("version", "print the version"),
  };
}

std::string allowed_values(const Key& key) {
  const std::string range = range_text(key.range);
  switch (key.kind) {
    case Kind::integer: return "an integer" + range;
    case Kind::unsigned_integer: return "an integer from 0 to 18446744073709551615";
    case Kind::real: return "a finite number" + range;
    case Kind::word: return (key.words.size() == 1 ? "" : "one of ") + join(key.words, ", ");
    case Kind::word_or_real:
      return "one of " + join(key.words, ", ") + ", or a finite number" + range;
    case Kind::boolean: return "true or false";
    case Kind::text: break;
  }
  return "text";
}

std::string nearest(std::string_view word, const std::vector<std::string>& names) {
  std::string best;
  std::size_t best_distance = word.size() / 3 + 2;  // anything from here on is another word
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (distance < best_distance) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

std::string help_text(const ExperimentSpec& spec) {
  std::string text = spec.name + ": " + spec.description + "\n\nUsage: " + spec.name +
                     " [--config FILE] [--KEY VALUE]...\n\n"
                     "Keys, in the config file as KEY = VALUE or as flags. A LIST (a,b,c as a flag,"
                     " [a, b, c] in the file) is swept over:\n";
  for (const Key& key : spec.keys) text += key_help(key);
  text += "\nFlags that say how to run:\n";
  for (const Key& key : fixed_flags()) text += key_help(key);
  return text;
}

}  // namespace rootdk::harness
