// A backward pass makes every gradient anew, whatever it held before: some ops write where nothing stands
// yet, others add, and a tensor may be seen whole, in part, twice, or not at all.
#include <functional>
#include <string>
#include <vector>

#include "catch.hpp"
#include "rootdk/autodiff/gradcheck.hpp"
#include "rootdk/ops/add.hpp"
#include "rootdk/ops/cross_entropy.hpp"
#include "rootdk/ops/matmul.hpp"
#include "rootdk/ops/scale.hpp"
#include "rootdk/ops/softmax_rows.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

namespace {

using Node = Var<double>;

Node columns(Node x, Index first, Index count) {
  return x.tape().alias(x, [=](View<double> view) { return view.slice(-1, first, count); });
}
Node rows(Node x, Index first, Index count) {
  return x.tape().alias(x, [=](View<double> view) { return view.slice(-2, first, count); });
}

struct Graph {
  std::string what;
  // Output of x (4, 6) and w (6, 4); `seen` gets every node whose gradient is to be looked at.
  std::function<Node(Node x, Node w, std::vector<Node>& seen)> output;
};

const std::vector<Graph> graphs{
    {"two parts of one tensor in one product",
     [](Node x, Node w, std::vector<Node>&) {
       return matmul(softmax_rows(matmul(columns(x, 0, 3), transpose(columns(x, 3, 3)))),
                     matmul(x, w));
     }},
    {"a part of a tensor, the rest of it unused",
     [](Node x, Node w, std::vector<Node>&) { return matmul(rows(x, 1, 2), w); }},
    {"rows of a tensor in a softmax",
     [](Node x, Node, std::vector<Node>&) { return softmax_rows(rows(x, 2, 2)); }},
    {"one tensor in both operands",
     [](Node x, Node, std::vector<Node>&) { return matmul(x, transpose(x)); }},
    {"written by one op, added to by another",
     [](Node x, Node w, std::vector<Node>& seen) {
       const Node p = softmax_rows(x);
       seen.push_back(p);
       return add(matmul(p, w), matmul(scale(p, 0.5), w));
     }},
    {"a node that the output does not depend on",
     [](Node x, Node w, std::vector<Node>& seen) {
       const Node y = matmul(x, w);
       seen.push_back(softmax_rows(y));
       return scale(y, 2);
     }},
    {"a part of a node as the output",
     [](Node x, Node w, std::vector<Node>& seen) {
       const Node y = softmax_rows(matmul(x, w));
       seen.push_back(y);
       return columns(y, 1, 2);
     }},
    {"a causal mask on scores, weights and values",
     [](Node x, Node w, std::vector<Node>& seen) {
       const Mask causal{.causal = true};
       const Node z = matmul(x, w, {.output_mask = causal});
       const Node p = softmax_rows(z, causal);
       seen.insert(seen.end(), {z, p});
       return matmul(p, x, {.left_mask = causal});
     }},
};

std::vector<std::vector<double>> gradients(const std::vector<Node>& nodes) {
  std::vector<std::vector<double>> result;
  for (const Node& node : nodes) result.push_back(values(node.grad()));
  return result;
}

}  // namespace

TEST_CASE("tape: what gradients held before a backward pass plays no part", "[tape][gradcheck]") {
  for (const Graph& graph : graphs) {
    INFO(graph.what);
    Tape<double> tape;
    const Node x = normal(tape, Shape{4, 6}, 1), w = normal(tape, Shape{6, 4}, 2);
    std::vector<Node> seen{x, w};
    const Node output = graph.output(x, w, seen);
    const std::vector<double> ones(static_cast<std::size_t>(output.shape().size()), 1.5);
    const View<const double> cotangent(ones.data(), output.shape());
    tape.backward(output, cotangent);
    const auto first = gradients(seen);
    tape.spoil_gradients();
    tape.backward(output, cotangent);
    CHECK(gradients(seen) == first);  // NaN would not equal itself
    const std::vector<Node> leaves{x, w};
    const auto report = gradcheck(graph.what, output, leaves);
    INFO(report.log);
    CHECK(report.ok);
  }
}

TEST_CASE("tape: a parameter asked for twice is one leaf with the sum of its gradients", "[tape]") {
  Parameter<double> parameter("w", Shape{2, 2});
  for (Index i = 0; i < 4; ++i) parameter.value().data[i] = 0.5 * static_cast<double>(i) - 1;
  Tape<double> tape;
  const Node once = tape.parameter(parameter), again = tape.parameter(parameter);
  const Node output = matmul(softmax_rows(once), again);
  const auto report = gradcheck("one parameter", output, std::vector<Node>{once});
  INFO(report.log);
  CHECK(report.ok);
}
