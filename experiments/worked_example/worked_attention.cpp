#include "worked_example/worked_attention.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "rootdk/harness/number_text.hpp"

namespace rootdk {
namespace {

Var<double> variable(Tape<double>& tape, const Matrix& matrix, std::string_view label) {
  const Var<double> var = tape.variable(matrix.view().shape, label);
  std::copy(matrix.entries.begin(), matrix.entries.end(), var.writable_value().data);
  return var;
}

Matrix matrix(const View<const double>& view) {
  return {view.shape[0], view.shape[1], {view.data, view.data + view.shape.size()}};
}

Matrix visible(const WorkedInputs& in) {
  Matrix mask = matrix_of_zeros(in.queries.rows, in.keys.rows);
  for (Index i = 0; i < mask.rows; ++i) {
    for (Index j = 0; j < mask.cols; ++j) mask(i, j) = in.sees(i, j) ? 1 : 0;
  }
  return mask;
}

void check_finite(const WorkedInputs& in, const std::string& name, const Matrix& result) {
  const bool has_hidden_entries = name == "scores" || name == "scaled";
  for (Index i = 0; i < result.rows; ++i) {
    for (Index j = 0; j < result.cols; ++j) {
      if (std::isfinite(result(i, j)) || (has_hidden_entries && !in.sees(i, j))) continue;
      throw harness::RequestError("entry [" + std::to_string(i) + ", " + std::to_string(j) +
                                  "] of " + name + " is " + harness::number_text(result(i, j)) +
                                  ": the matrices or the scale are too large for float64");
    }
  }
}

}  // namespace

WorkedGraph record(Tape<double>& tape, const WorkedInputs& in) {
  Mask mask{.causal = in.causal};
  if (in.mask) {
    const View<bool> allowed = tape.data<bool>(in.mask->view().shape);
    std::transform(in.mask->entries.begin(), in.mask->entries.end(), allowed.data,
                   [](double entry) { return entry != 0; });
    mask.allowed = allowed;
  }
  const Var<double> Q = variable(tape, in.queries, "queries");
  const Var<double> K = variable(tape, in.keys, "keys");
  const Var<double> V = variable(tape, in.values, "values");
  return {Q, K, V, attention(Q, K, V, {in.rule, mask, GemmBackend::reference})};
}

WorkedResult::WorkedResult(const WorkedInputs& in) : has_gradients_(in.d_output.has_value()) {
  Tape<double> tape;
  const auto [Q, K, V, steps] = record(tape, in);
  matrices_ = {{"queries", in.queries}, {"keys", in.keys}, {"values", in.values}};
  if (in.mask || in.causal) matrices_.emplace_back("mask", visible(in));
  const auto add = [&](const char* name, const View<const double>& view) {
    matrices_.emplace_back(name, matrix(view));
    check_finite(in, name, matrices_.back().second);
  };
  add("scores", steps.scores.value());
  add("scaled", steps.scaled.value());
  add("weights", steps.weights.value());
  add("output", steps.output.value());
  if (!has_gradients_) return;

  tape.backward(steps.output, in.d_output->view());
  matrices_.emplace_back("d_output", *in.d_output);
  add("d_values", V.grad());
  add("d_weights", steps.weights.grad());
  add("d_scaled", steps.scaled.grad());
  add("d_scores", steps.scores.grad());
  add("d_queries", Q.grad());
  add("d_keys", K.grad());
}

const Matrix& WorkedResult::operator[](std::string_view name) const {
  const auto found = std::find_if(matrices_.begin(), matrices_.end(),
                                  [&](const auto& matrix) { return matrix.first == name; });
  if (found == matrices_.end()) throw std::logic_error("no matrix " + std::string(name));
  return found->second;
}

}  // namespace rootdk
