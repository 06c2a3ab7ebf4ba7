#include "worked_example/worked_page.hpp"

#include <algorithm>
#include <ostream>

#include "rootdk/harness/number_text.hpp"
#include "worked_example/matrix_text.hpp"

namespace rootdk {
namespace {

class Page {
 public:
  Page(const WorkedInputs& in, const WorkedResult& result, std::ostream& out)
      : in_(in), result_(result), out_(out), n_q_(in.queries.rows), n_k_(in.keys.rows) {
    if (in.mask || in.causal) hidden_ = [&in](Index i, Index j) { return !in.sees(i, j); };
  }

  void print() const {
    print_inputs();
    print_steps();
    if (result_.has_gradients()) print_gradients();
  }

 private:
  void print_inputs() const {
    out_ << "Attention of " << n_q_ << (n_q_ == 1 ? " query" : " queries") << " over " << n_k_
         << (n_k_ == 1 ? " key" : " keys") << ", d_k = " << in_.queries.cols
         << ", d_v = " << in_.values.cols << "\n\n";
    show("Q", "queries");
    show("K", "keys");
    show("V", "values");
    if (!hidden_) return;
    out_ << "M_ij = 1 where query i may look at key j; entries marked - below are hidden\n";
    show("M", "mask");
  }

  void print_steps() const {
    out_ << "Step 1, similarity: S = Q K^T\n";
    show("S", "scores");
    out_ << "Step 2, scale: Z = s S with s = " << scale_text() << "\n";
    show("Z", "scaled");
    out_ << "Step 3, softmax of each row: A_ij = exp(Z_ij) / sum_k exp(Z_ik)"
         << (hidden_ ? ", over the keys k that i may look at" : "") << "\n";
    show("A", "weights", hidden_);
    out_ << "Step 4, weighted averages of the values: O = A V\n";
    show("O", "output");
    out_ << "Step 5, a row of O is the output of a query\n";
    print_rows();
  }

  // dL = <G, dO>, taken back through the steps: what multiplies a change is its gradient.
  void print_gradients() const {
    out_ << "Gradients of a loss L, last step first, from G = dL/dO\n";
    show("G", "d_output");
    out_ << "Step 4 back, O = A V: dV = A^T G\n";
    show("dV", "d_values");
    out_ << "and dA = G V^T\n";
    show("dA", "d_weights", hidden_);
    out_ << "Step 3 back, dA_ij/dZ_ik = A_ij (delta_jk - A_ik): dZ = A o (dA - rowsum(A o dA))\n";
    show("dZ", "d_scaled", hidden_);
    out_ << "Step 2 back, Z = s S: dS = s dZ\n";
    show("dS", "d_scores", hidden_);
    out_ << "Step 1 back, S = Q K^T: dQ = dS K\n";
    show("dQ", "d_queries");
    out_ << "and dK = dS^T Q\n";
    show("dK", "d_keys");
  }

  void show(const char* letter, const char* name, const Hidden& hidden = {}) const {
    const std::string margin(4, ' ');
    const std::string text = matrix_text(letter, result_[name], hidden);
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin) + 1;
      out_ << margin << text.substr(begin, end - begin);
      begin = end;
    }
    out_ << '\n';
  }

  void print_rows() const {
    constexpr Index most = 8;
    const Matrix& output = result_["output"];
    for (Index i = 0; i < std::min(output.rows, most); ++i) {
      out_ << "    query " << i + 1 << ": (";
      for (Index c = 0; c < std::min(output.cols, most); ++c) {
        out_ << (c == 0 ? "" : ", ") << fixed_text(output(i, c));
      }
      out_ << (output.cols > most ? ", ..)\n" : ")\n");
    }
    out_ << (output.rows > most ? "    ..\n\n" : "\n");
  }

  std::string scale_text() const {
    const auto table = score_rule_table();
    const bool named = std::any_of(table.begin(), table.end(),
                                   [&](const ScoreRuleRow& row) { return &row == in_.rule.row; });
    const std::string formula(in_.rule.row->formula);
    const bool says_more = named && !harness::parse_real(formula);  // than the number itself
    return (says_more ? formula + " = " : "") + fixed_text(in_.rule.factor(in_.queries.cols));
  }

  const WorkedInputs& in_;
  const WorkedResult& result_;
  std::ostream& out_;
  Index n_q_, n_k_;
  Hidden hidden_;
};

}  // namespace

void print_page(const WorkedInputs& in, const WorkedResult& result, std::ostream& out) {
  Page(in, result, out).print();
}

}  // namespace rootdk
