#include "rootdk/ops/cross_entropy.hpp"

#include <algorithm>
#include <stdexcept>

#include "rootdk/elementary.hpp"

namespace rootdk {
namespace {

Index count_rows(const View<const std::int32_t>& labels) {
  const std::int32_t* first = labels.data;
  const Index rows = labels.shape.size();
  return rows - std::count(first, first + rows, CrossEntropy::ignored);
}

// Fills p with the softmax of the logits, and returns the loss of the row.
template <class T>
double row_loss(const T* logits, Index classes, std::int32_t label, T* p) {
  const T largest = *std::max_element(logits, logits + classes);
  double sum = 0;
  for (Index c = 0; c < classes; ++c) {
    p[c] = elementary::exp(logits[c] - largest);
    sum += static_cast<double>(p[c]);
  }
  for (Index c = 0; c < classes; ++c) p[c] = static_cast<T>(static_cast<double>(p[c]) / sum);
  return static_cast<double>(largest) - static_cast<double>(logits[label]) + elementary::log(sum);
}

}  // namespace

Shape CrossEntropy::output_shape(std::span<const Shape> in) const {
  expect_inputs(name, in, 1);
  if (in[0].rank() < 1) shape_error(name, "takes rows of logits", in);
  if (!labels || labels.shape.size() != in[0].rows() || !labels.is_contiguous()) {
    shape_error(name, "takes one label a row, contiguous, not " + to_string(labels.shape), in);
  }
  return Shape();
}

template <class T>
void CrossEntropy::forward(const ForwardArgs<T>& args) const {
  expect_contiguous_rows(name, "logits", args.in[0]);
  const Index classes = args.in[0].shape.cols();
  double loss = 0;
  for (Index r = 0; r < labels.shape.size(); ++r) {
    const std::int32_t label = labels.data[r];
    if (label == ignored) continue;
    if (label < 0 || label >= classes) {
      throw std::out_of_range("cross_entropy: label " + std::to_string(label) + " of row " +
                              std::to_string(r) + " is not one of " + std::to_string(classes) +
                              " classes");
    }
    loss += row_loss(args.in[0].row(r), classes, label, args.saved.row(r));
  }
  const Index rows = count_rows(labels);
  *args.out.data = rows == 0 ? T(0) : static_cast<T>(loss / static_cast<double>(rows));
}

template <class T>
void CrossEntropy::vjp(const VjpArgs<T>& args) const {
  const Index rows = count_rows(labels);
  if (!args.d_in[0] || rows == 0) return;
  const Index classes = args.in[0].shape.cols();
  const T share = *args.d_out.data / static_cast<T>(rows);
  for (Index r = 0; r < labels.shape.size(); ++r) {
    const std::int32_t label = labels.data[r];
    if (label == ignored) continue;
    const T* p = args.saved.row(r);
    T* d_logits = args.d_in[0].row(r);
    T others = 0;
    for (Index c = 0; c < classes; ++c) {
      if (c == label) continue;
      d_logits[c] += share * p[c];  // dl_ic += dL (p_ic - [c = y]) / N
      others += p[c];
    }
    d_logits[label] -= share * others;
  }
}

template void CrossEntropy::forward(const ForwardArgs<float>&) const;
template void CrossEntropy::forward(const ForwardArgs<double>&) const;
template void CrossEntropy::vjp(const VjpArgs<float>&) const;
template void CrossEntropy::vjp(const VjpArgs<double>&) const;

}  // namespace rootdk
