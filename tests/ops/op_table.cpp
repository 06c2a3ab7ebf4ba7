#include "ops/op_table.hpp"

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "rootdk/ops/add.hpp"
#include "rootdk/ops/cross_entropy.hpp"
#include "rootdk/ops/matmul.hpp"
#include "rootdk/ops/mean_squared_error.hpp"
#include "rootdk/ops/scale.hpp"
#include "rootdk/ops/softmax_rows.hpp"
#include "rootdk/ops/streaming_attention.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

namespace {

// Values, then gradients of every input, for inputs that are exact in float.
template <class T, class O>
std::vector<double> run(const O& op, const std::vector<Shape>& shapes, const FillInput& fill,
                        std::uint64_t seed) {
  Tape<T> tape;
  std::vector<Var<T>> inputs;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    std::vector<double> numbers(static_cast<std::size_t>(shapes[i].size()));
    fill(i, View<double>(numbers.data(), shapes[i]));
    for (double& number : numbers) number = static_cast<float>(number);
    inputs.push_back(tape.variable(shapes[i]));
    write(inputs.back(), numbers);
  }
  const Var<T> output = tape.apply(op, std::span<const Var<T>>(inputs));
  Stream stream(StreamKey(seed, "float cotangent"));
  std::vector<T> cotangent(static_cast<std::size_t>(output.shape().size()));
  for (T& c : cotangent) c = static_cast<T>(static_cast<float>(stream.normal()));
  tape.backward(output, View<const T>(cotangent.data(), output.shape()));
  std::vector<double> all;
  for (const T y : values(output.value())) all.push_back(static_cast<double>(y));
  for (const Var<T>& input : inputs) {
    for (const T d : values(input.grad())) all.push_back(static_cast<double>(d));
  }
  return all;
}

template <class O>
OpCase row(std::string variant, const O& op, const std::vector<Shape>& shapes,
           std::function<FillInput(std::uint64_t)> fill = normal_inputs) {
  return {std::string(O::name), std::move(variant),
          [=](std::uint64_t seed) {
            return gradcheck(op, shapes, fill(seed), GradcheckOptions{.seed = seed});
          },
          [=](std::uint64_t seed) {
            const auto exact = run<double>(op, shapes, fill(seed), seed);
            const auto rounded = run<float>(op, shapes, fill(seed), seed);
            double largest = 0, worst = 0;
            for (std::size_t i = 0; i < exact.size(); ++i) {
              largest = std::max(largest, std::abs(exact[i]));
              worst = std::max(worst, std::abs(exact[i] - rounded[i]));
            }
            return worst / std::max(largest, 1e-30);
          }};
}

// Rows whose largest entry leads the next by `gap`: saturated when it is large.
std::function<FillInput(std::uint64_t)> with_gap(double gap) {
  return [gap](std::uint64_t seed) -> FillInput {
    return [=](std::size_t input, View<double> value) {
      normal_inputs(seed)(input, value);
      for (Index r = 0; r < value.shape.rows(); ++r) {
        double* row = value.row(r);
        const Index cols = value.shape.cols();
        for (Index c = 0; c < cols; ++c) row[c] = std::min(row[c], 0.0);
        row[(r + 1) % cols] = 0;
        row[r % cols] = gap;
      }
    };
  };
}

// Queries whose scores of key 1 lead all others by about `gap`, in units of the factor.
std::function<FillInput(std::uint64_t)> with_score_gap(double gap) {
  return [gap](std::uint64_t seed) -> FillInput {
    return [=](std::size_t input, View<double> value) {
      normal_inputs(seed)(input, value);
      for (Index r = 0; input < 2 && r < value.shape.rows(); ++r) {
        value.row(r)[0] = input == 0 ? 1 : r % value.shape[-2] == 1 ? gap : 0;
      }
    };
  };
}

// Buffers that live as long as the table, as those of a tape live as long as its nodes.
const std::array<std::int32_t, 6> labels{2, 0, 1, CrossEntropy::ignored, 2, 1};
const std::array<std::int32_t, 6> all_ignored{-100, -100, -100, -100, -100, -100};
const std::array<std::int32_t, 2> key_lengths{3, 0};
const std::array<bool, 12> allowed{true,  false, true, true, false, false,
                                   false, false, true, true, false, true};

View<const std::int32_t> label_view(Index count) { return {labels.data(), Shape{count}}; }
Mask causal() { return {.causal = true}; }
Mask by_length() { return {.lengths = {key_lengths.data(), Shape{2}}}; }
Mask dense() { return {.allowed = {allowed.data(), Shape{3, 4}}}; }
StreamingAttention in_tiles(Index queries, Index keys, const Mask& mask = {}) {
  return {.factor = 0.5, .mask = mask, .query_tile = queries, .key_tile = keys};
}
Mask dense_and_causal() { return {.causal = true, .allowed = {allowed.data(), Shape{3, 4}}}; }

}  // namespace

const std::vector<OpCase>& op_table() {
  constexpr auto reference = GemmBackend::reference;
  static const std::vector<OpCase> table{
      row("1x1", Matmul{}, {Shape{1, 1}, Shape{1, 1}}),
      row("odd", Matmul{}, {Shape{3, 5}, Shape{5, 7}}),
      row("reference", Matmul{reference}, {Shape{3, 5}, Shape{5, 7}}),
      row("large", Matmul{}, {Shape{9, 33}, Shape{33, 17}}),
      row("stack", Matmul{}, {Shape{2, 3, 4}, Shape{2, 4, 5}}),
      row("stack of rank 4", Matmul{}, {Shape{2, 2, 3, 4}, Shape{2, 2, 4, 2}}),
      row("shared right operand", Matmul{}, {Shape{2, 3, 4}, Shape{4, 5}}),
      row("causal left", Matmul{.left_mask = causal()}, {Shape{3, 4}, Shape{4, 5}}),
      row("key lengths left", Matmul{.left_mask = by_length()}, {Shape{2, 3, 4}, Shape{2, 4, 5}}),
      row("dense left", Matmul{.left_mask = dense()}, {Shape{2, 3, 4}, Shape{2, 4, 5}}),
      row("dense left, shared", Matmul{.left_mask = dense()}, {Shape{2, 3, 4}, Shape{4, 5}}),
      row("masked output", Matmul{.output_mask = dense()}, {Shape{2, 3, 5}, Shape{2, 5, 4}}),
      row("by 0.25", Scale{0.25}, {Shape{2, 3, 4}}),
      row("by -3 of a scalar", Scale{-3}, {Shape{}}),
      row("of a row", SoftmaxRows{}, {Shape{7}}),
      row("1x1", SoftmaxRows{}, {Shape{1, 1}}),
      row("odd", SoftmaxRows{}, {Shape{3, 5}}),
      row("large", SoftmaxRows{}, {Shape{2, 3, 67}}),
      row("gap 0", SoftmaxRows{}, {Shape{3, 5}}, with_gap(0)),
      row("gap 10", SoftmaxRows{}, {Shape{3, 5}}, with_gap(10)),
      row("gap 700", SoftmaxRows{}, {Shape{3, 5}}, with_gap(700)),
      row("causal", SoftmaxRows{causal()}, {Shape{2, 5, 4}}),
      row("key lengths, one zero", SoftmaxRows{by_length()}, {Shape{2, 3, 4}}),
      row("key lengths, heads", SoftmaxRows{by_length()}, {Shape{2, 2, 3, 4}}),
      row("dense", SoftmaxRows{dense()}, {Shape{2, 3, 4}}),
      row("dense and causal", SoftmaxRows{dense_and_causal()}, {Shape{3, 4}}),
      row("1x1", StreamingAttention{}, {Shape{1, 1}, Shape{1, 1}, Shape{1, 1}}),
      row("one tile", StreamingAttention{0.5}, {Shape{5, 3}, Shape{7, 3}, Shape{7, 2}}),
      row("odd tiles", in_tiles(2, 3), {Shape{5, 3}, Shape{7, 3}, Shape{7, 2}}),
      row("tiles of one score", in_tiles(1, 1), {Shape{3, 2}, Shape{4, 2}, Shape{4, 3}}),
      row("tall tiles", in_tiles(4, 2), {Shape{9, 3}, Shape{5, 3}, Shape{5, 2}}),
      row("reference", StreamingAttention{-0.7, {}, reference, 2, 3},
          {Shape{5, 3}, Shape{7, 3}, Shape{7, 2}}),
      row("stack of rank 4", in_tiles(2, 2),
          {Shape{2, 2, 3, 2}, Shape{2, 2, 4, 2}, Shape{2, 2, 4, 3}}),
      row("gap 0", in_tiles(2, 2), {Shape{3, 3}, Shape{5, 3}, Shape{5, 2}}, with_score_gap(0)),
      row("gap 10", in_tiles(2, 2), {Shape{3, 3}, Shape{5, 3}, Shape{5, 2}}, with_score_gap(20)),
      row("gap 700", in_tiles(2, 2), {Shape{3, 3}, Shape{5, 3}, Shape{5, 2}}, with_score_gap(1400)),
      row("causal", in_tiles(3, 2, causal()), {Shape{7, 3}, Shape{7, 3}, Shape{7, 2}}),
      row("causal, few queries", in_tiles(2, 2, causal()), {Shape{3, 3}, Shape{6, 3}, Shape{6, 2}}),
      row("causal, few keys", in_tiles(2, 2, causal()), {Shape{6, 3}, Shape{3, 3}, Shape{3, 2}}),
      row("key lengths, one zero", in_tiles(2, 2, by_length()),
          {Shape{2, 3, 3}, Shape{2, 4, 3}, Shape{2, 4, 2}}),
      row("dense", in_tiles(2, 2, dense()), {Shape{2, 3, 3}, Shape{2, 4, 3}, Shape{2, 4, 2}}),
      row("dense and causal", in_tiles(2, 3, dense_and_causal()),
          {Shape{3, 3}, Shape{4, 3}, Shape{4, 2}}),
      row("odd", Add{}, {Shape{3, 5}, Shape{3, 5}}),
      row("1x1", CrossEntropy{label_view(1)}, {Shape{1, 3}}),
      row("one row ignored", CrossEntropy{label_view(6)}, {Shape{2, 3, 4}}),
      row("all rows ignored", CrossEntropy{{all_ignored.data(), Shape{6}}}, {Shape{6, 3}}),
      row("gap 10", CrossEntropy{label_view(6)}, {Shape{6, 3}}, with_gap(10)),
      row("gap 700", CrossEntropy{label_view(6)}, {Shape{6, 3}}, with_gap(700)),
      row("scalar", MeanSquaredError{}, {Shape{}, Shape{}}),
      row("odd", MeanSquaredError{}, {Shape{3, 5}, Shape{3, 5}}),
  };
  return table;
}

std::vector<std::string> ops_without_a_row(const std::string& folder,
                                           const std::vector<OpCase>& table) {
  const std::regex name_of_op(R"re(string_view name = "(\w+)")re");
  std::vector<std::string> missing;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    const std::string source = text.str();
    for (std::sregex_iterator op(source.begin(), source.end(), name_of_op), end; op != end; ++op) {
      const std::string name = (*op)[1];
      const bool found = std::any_of(table.begin(), table.end(),
                                     [&](const OpCase& row) { return row.op == name; });
      if (!found) missing.push_back(name);
    }
  }
  return missing;
}
