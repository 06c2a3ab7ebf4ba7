#include "worked_example/worked_files.hpp"

#include "common/npy.hpp"
#include "rootdk/harness/atomic_file.hpp"
#include "worked_example/matrix_file.hpp"

namespace rootdk {

void write_matrices(const WorkedResult& result, harness::CellOutput& out) {
  for (const auto& [name, matrix] : result.matrices()) {
    out.write_file(name + ".npy", npy_bytes(matrix.view()));
    out.write_file(name + ".csv", csv_bytes(matrix));
  }
}

void check_same_inputs(const harness::Request& request, const WorkedResult& result) {
  if (!request.resume || !std::filesystem::exists(request.out / "meta.json")) return;
  for (const auto& [name, matrix] : result.matrices()) {
    const bool is_input = name == "queries" || name == "keys" || name == "values" ||
                          name == "mask" || name == "d_output";
    const std::filesystem::path written = request.out / (name + ".npy");
    if (!is_input || !std::filesystem::exists(written)) continue;
    if (harness::read_file(written) == npy_bytes(matrix.view())) continue;
    throw harness::RequestError("the output folder " + request.out.string() +
                                " holds a run of other " + name +
                                "; choose another --out or --overwrite it");
  }
}

}  // namespace rootdk
