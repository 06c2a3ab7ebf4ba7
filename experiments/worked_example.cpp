// The five steps of attention and their gradients, on three tokens or on your own matrices: printed
// as on paper, and every intermediate result written as .npy and .csv.
#include <iostream>

#include "common/build_facts.hpp"
#include "worked_example/course_example.hpp"
#include "worked_example/worked_files.hpp"
#include "worked_example/worked_page.hpp"

using namespace rootdk;

int main(int argc, char** argv) {
  return harness::run_main(argc, argv, worked_spec(), [](const harness::Request& request) {
    const WorkedInputs inputs = worked_inputs(request.config);
    const WorkedResult result(inputs);
    check_same_inputs(request, result);
    run_sweep(
        request, {}, {{0, request.config}}, {.facts = build_facts()},
        [&](const harness::CellPoint&, harness::CellOutput& out) { write_matrices(result, out); });
    if (request.dry_run || request.quiet) return;
    print_page(inputs, result, std::cout);
    if (is_the_course_example(request.config)) {
      explain_output_gradient(std::cout);
      compare_with_course(result, std::cout);
    }
    std::cout << "To the last digit: " << request.out.string() << "/*.npy and *.csv\n";
  });
}
