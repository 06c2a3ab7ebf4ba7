#include <algorithm>
#include <exception>
#include <iostream>

#include "rootdk/harness/error.hpp"
#include "rootdk/harness/request.hpp"
#include "rootdk/harness/version.hpp"

namespace rootdk::harness {
namespace {

int fail(const std::string& experiment, const std::string& sentence, int code) {
  std::cerr << experiment + ": " + one_line(sentence) + "\n";
  return code;
}

bool contains(const std::vector<std::string>& arguments, const char* flag) {
  return std::find(arguments.begin(), arguments.end(), flag) != arguments.end();
}

}  // namespace

int run_main(int argc, const char* const* argv, const ExperimentSpec& spec,
             const std::function<void(const Request&)>& body) {
  const std::vector<std::string> arguments(argv + std::min(argc, 1), argv + argc);
  try {
    if (contains(arguments, "--help")) {  // before every complaint
      std::cout << help_text(spec);
    } else if (contains(arguments, "--version")) {
      std::cout << spec.name << " (rootdk) " << version << "\n";
    } else {
      body(read_request(spec, arguments));
    }
    if (!std::cout.flush()) throw std::runtime_error("the standard output cannot be written");
    return 0;
  } catch (const RequestError& error) {
    return fail(spec.name, error.what(), 2);
  } catch (const std::bad_alloc&) {
    return fail(spec.name, "out of memory", 1);
  } catch (const std::exception& error) {
    return fail(spec.name, error.what(), 1);
  }
}

}  // namespace rootdk::harness
