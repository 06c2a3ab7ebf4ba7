#include <CLI/CLI.hpp>
#include <algorithm>

#include "rootdk/harness/error.hpp"
#include "rootdk/harness/raw_value.hpp"

namespace rootdk::harness {
namespace {

RawValue read_value(const Key& key, const std::string& text) {
  RawValue value;
  value.key = key.name;
  value.origin = "--" + key.name;
  const auto add_item = [&](const std::string& part) {
    value.items.push_back({Form::untyped, part, part.empty() ? "nothing" : part, value.origin});
  };
  if (key.kind == Kind::text && !key.list) {
    add_item(text);  // a path may hold commas
    return value;
  }
  std::size_t begin = 0;
  for (std::size_t comma; (comma = text.find(',', begin)) != std::string::npos; begin = comma + 1) {
    add_item(text.substr(begin, comma - begin));
  }
  add_item(text.substr(begin));
  value.is_list = value.items.size() > 1;
  return value;
}

RequestError unknown_argument(const std::string& argument, const std::vector<Key>& keys) {
  if (!argument.starts_with("-")) {
    return RequestError(
        (argument.empty() ? "unexpected empty argument" : "unexpected argument " + cut(argument)) +
        "; a value follows its flag, and a list is one word, as in --d_k 16,64");
  }
  std::vector<std::string> flags;
  for (const Key& key : keys) flags.push_back("--" + key.name);
  const std::string flag = argument.substr(0, argument.find('='));
  const std::string guess = nearest(flag, flags);
  return RequestError("unknown flag " + cut(flag) + "; " +
                      (guess.empty() ? "" : "did you mean " + guess + "? ") +
                      "--help lists them all");
}

// CLI11 would take the next argument for the value of `--lr=`.
void check_equals_signs(const std::vector<std::string>& arguments, const std::vector<Key>& keys) {
  for (const Key& key : keys) {
    const std::string nothing = "--" + key.name + "=";
    if (std::find(arguments.begin(), arguments.end(), nothing) == arguments.end()) continue;
    throw RequestError("--" + key.name + ": " + key.name + " must be " + allowed_values(key) +
                       ", found nothing");
  }
}

// CLI11 hands over words only; what they mean is decided where the file's values are, too.
CLI::Option* add_option(CLI::App& app, const Key& key) {
  CLI::Option* option = app.add_option("--" + key.name);
  option->allow_extra_args(false);
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  const int fewest = key.kind == Kind::boolean ? 0 : 1;
  option->expected(fewest, 1);
  return option;
}

}  // namespace

std::vector<RawValue> parse_command_line(const std::vector<std::string>& arguments,
                                         const std::vector<Key>& keys) {
  check_equals_signs(arguments, keys);
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  std::vector<const CLI::Option*> options;
  for (const Key& key : keys) options.push_back(add_option(app, key));
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string message = error.what();
    throw RequestError(message.substr(0, message.find(':')) + " needs a value");
  } catch (const CLI::ParseError& error) {
    throw RequestError(error.what());
  }
  if (!app.remaining().empty()) throw unknown_argument(app.remaining().front(), keys);

  std::vector<RawValue> values;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::vector<std::string>& results = options[i]->results();
    if (results.empty()) continue;
    if (results.size() > 1) {
      throw RequestError("--" + keys[i].name + " is given twice" +
                         (keys[i].list ? "; a list is one word, as in a,b,c" : ""));
    }
    if (results[0].starts_with("--")) {
      throw RequestError("--" + keys[i].name + " needs a value, found the flag " + cut(results[0]));
    }
    const bool bare = keys[i].kind == Kind::boolean && results[0].empty();
    values.push_back(read_value(keys[i], bare ? "true" : results[0]));
  }
  return values;
}

}  // namespace rootdk::harness
