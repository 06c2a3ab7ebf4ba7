// Ops on rows work on several at a time. What comes of a row must not depend, in any bit, on the rows
// beside it nor on where it lies: it is held against the same row alone.
#include "catch.hpp"
#include "rootdk/ops/cross_entropy.hpp"
#include "rootdk/ops/softmax_rows.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

namespace {

template <class T>
struct Result {
  std::vector<T> value, gradient;
  bool operator==(const Result&) const = default;
};

// The op of some rows, and the gradient with a cotangent given for each row.
template <class T, class Record>
Result<T> run(const View<const T>& rows, const View<const T>& cotangent, bool gaps,
              const Record& record) {
  Tape<T> tape;
  const Index n = rows.shape[1];
  // With gaps: the columns of a wider matrix.
  const auto memory = tape.variable(Shape{rows.shape[0], n + (gaps ? 3 : 0)});
  const auto z = gaps ? tape.alias(memory, [n](View<T> x) { return x.slice(1, 1, n); }) : memory;
  for (Index r = 0; r < rows.shape[0]; ++r) {
    std::copy_n(rows.row(r), n, z.writable_value().row(r));
  }
  const auto out = record(z);
  tape.backward(out, cotangent);
  return {values(out.value()), values(z.grad())};
}

template <class T>
View<const T> one_row(const View<const T>& rows, Index r) {
  return rows.slice(0, r, 1);
}

template <class T>
std::vector<T> row_of(const std::vector<T>& all, Index r, Index n) {
  return {all.begin() + r * n, all.begin() + (r + 1) * n};
}

}  // namespace

TEMPLATE_TEST_CASE("softmax_rows: a row beside others is the row alone, to the bit",
                   "[op][property]", float, double) {
  using T = TestType;
  const Index rows = GENERATE(2, 15, 16, 17, 40, 300);
  const Index n = GENERATE(1, 3, 8, 15, 16, 17, 40);
  const bool gaps = GENERATE(false, true);
  CAPTURE(rows, n, gaps);
  Tape<T> tape;
  const View<const T> z = normal(tape, Shape{rows, n}, 1, 4).value();
  const View<const T> g = normal(tape, Shape{rows, n}, 2).value();
  const auto softmax = [](Var<T> x) { return softmax_rows(x); };
  const Result<T> together = run(z, g, gaps, softmax);
  Index differing = 0;
  for (Index r = 0; r < rows; ++r) {
    const Result<T> alone = run(one_row(z, r), one_row(g, r), false, softmax);
    const Result<T> found{row_of(together.value, r, n), row_of(together.gradient, r, n)};
    differing += found == alone ? 0 : 1;
  }
  CHECK(differing == 0);
}

TEMPLATE_TEST_CASE("cross_entropy: a row beside others has its gradient alone, to the bit",
                   "[op][property]", float, double) {
  using T = TestType;
  const Index rows = GENERATE(2, 63, 64, 65, 200);
  const Index classes = GENERATE(2, 7, 8, 16, 19);
  const bool gaps = GENERATE(false, true);
  CAPTURE(rows, classes, gaps);
  Tape<T> tape;
  const View<const T> logits = normal(tape, Shape{rows, classes}, 3, 4).value();
  const View<std::int32_t> labels = tape.template data<std::int32_t>(Shape{rows});
  Index counted = 0;
  for (Index r = 0; r < rows; ++r) {
    labels(r) = r % 5 == 3 ? CrossEntropy::ignored : static_cast<std::int32_t>(r % classes);
    counted += r % 5 == 3 ? 0 : 1;
  }
  const auto loss_of = [](View<std::int32_t> y) {
    return [y](Var<T> x) { return cross_entropy(x, View<const std::int32_t>(y)); };
  };
  // The loss is a mean: with as large a cotangent as rows count, each has the share 1.
  const T all = static_cast<T>(counted), one = 1;
  const Result<T> together = run(logits, View<const T>(&all, Shape()), gaps, loss_of(labels));
  double sum = 0;
  Index differing = 0;
  for (Index r = 0; r < rows; ++r) {
    const Result<T> alone = run(one_row(logits, r), View<const T>(&one, Shape()), false,
                                loss_of(labels.slice(0, r, 1)));
    differing += row_of(together.gradient, r, classes) == alone.gradient ? 0 : 1;
    sum += static_cast<double>(alone.value[0]);
  }
  CHECK(differing == 0);
  const double rounding = 4 * static_cast<double>(std::numeric_limits<T>::epsilon());
  CHECK(together.value[0] == Approx(sum / static_cast<double>(counted)).epsilon(rounding));
}
