#include "worked_example/course_example.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>

#include "common/three_tokens.hpp"
#include "worked_example/matrix_text.hpp"

namespace rootdk {
namespace {

using course::printed_weights;
using course::rounding;

double row_sum(const Matrix& matrix, Index row) {
  double sum = 0;
  for (Index j = 0; j < matrix.cols; ++j) sum += matrix(row, j);
  return sum;
}

std::string weighted_average(const Matrix& weights, Index row, const Matrix& values, int decimals) {
  std::string text;
  for (Index c = 0; c < values.cols; ++c) {
    double sum = 0;
    for (Index j = 0; j < weights.cols; ++j) sum += weights(row, j) * values(j, c);
    text += (text.empty() ? "(" : ", ") + fixed_text(sum, decimals);
  }
  return text + ")";
}

void print_weights(std::ostream& out) {
  for (Index i = 0; i < printed_weights.rows; ++i) {
    out << "    " << (i == 0 ? "printed A = [" : "            [");
    for (Index j = 0; j < printed_weights.cols; ++j)
      out << ' ' << fixed_text(printed_weights(i, j), 2);
    out << " ]  sum " << fixed_text(row_sum(printed_weights, i), 2) << '\n';
  }
}

// Equal scores with unequal weights.
void print_broken_ties(const Matrix& scores, std::ostream& out) {
  for (Index i = 0; i < scores.rows; ++i) {
    for (Index j = 0; j < scores.cols; ++j) {
      for (Index k = j + 1; k < scores.cols; ++k) {
        if (scores(i, j) != scores(i, k) || printed_weights(i, j) == printed_weights(i, k))
          continue;
        out << "  - Row " << i + 1 << ": keys " << j + 1 << " and " << k + 1
            << " have equal scores (" << fixed_text(scores(i, j), 0)
            << "), so equal weights at any scale; printed are "
            << fixed_text(printed_weights(i, j), 2) << " and "
            << fixed_text(printed_weights(i, k), 2) << ".\n";
      }
    }
  }
}

void print_differences(const Matrix& weights, std::ostream& out) {
  double largest = 0;
  int wrong = 0;
  for (std::size_t e = 0; e < printed_weights.entries.size(); ++e) {
    const double difference = std::abs(printed_weights.entries[e] - weights.entries[e]);
    largest = std::max(largest, difference);
    if (difference > rounding) ++wrong;
  }
  out << "  - " << wrong << " of " << printed_weights.entries.size()
      << " entries are further from softmax than rounding takes them (" << rounding
      << "), by up to " << fixed_text(largest) << ".\n";
}

void print_sums(std::ostream& out) {
  std::string rows;
  for (Index i = 0; i < printed_weights.rows; ++i) {
    if (std::abs(row_sum(printed_weights, i) - 1) < rounding) continue;
    rows += (rows.empty() ? "" : " and ") + std::to_string(i + 1);
  }
  out << "  - Rows " << rows
      << " do not sum to 1; that alone could be rounding, the unequal weights could not.\n";
}

}  // namespace

WorkedInputs three_tokens() {
  return {course::tokens, course::tokens, course::values, Matrix{3, 2, {1, 0, 0, 1, 1, -1}}};
}

bool is_the_course_example(const harness::Config& config) {
  for (const char* key : {"queries", "d-output", "mask"}) {
    if (!config.word(key).empty()) return false;
  }
  return !config.boolean("causal") && config.word("scale") == "inv_sqrt_dk";
}

void explain_output_gradient(std::ostream& out) {
  WorkedInputs in = three_tokens();
  const double sum = row_sum(in.values, 0);
  in.d_output = Matrix{3, 2, {1, 1, 1, 1, 1, 1}};
  const WorkedResult ones(in);
  double largest = 0;
  for (const char* name : {"d_scores", "d_queries", "d_keys"}) {
    for (const double entry : ones[name].entries) largest = std::max(largest, std::abs(entry));
  }
  out << "Why not G = 1 everywhere? Each row of V sums to " << fixed_text(sum, 0)
      << ", so dA would be " << fixed_text(ones["d_weights"](0, 0), 0)
      << " everywhere,\nits mean under A too, and dZ = A o (dA - mean) = 0: then dS = dQ = dK = 0"
         " (largest entry found: "
      << largest << ").\n\n";
}

void compare_with_course(const WorkedResult& result, std::ostream& out) {
  const Matrix& weights = result["weights"];
  out << "A course on attention prints other weights for these tokens:\n";
  print_weights(out);
  out << "S and Z are right there; step 3 is not, and no scale gives these weights:\n";
  print_broken_ties(result["scores"], out);
  print_sums(out);
  print_differences(weights, out);
  out << "  - So is row 1 of the output: "
      << weighted_average(printed_weights, 0, result["values"], 1) << " from the printed weights, "
      << weighted_average(weights, 0, result["values"], 6) << " from softmax.\n\n";
}

}  // namespace rootdk
