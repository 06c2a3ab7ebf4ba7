#include "rootdk/ops/cross_entropy.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "rootdk/elementary.hpp"

namespace rootdk {
namespace {

Index count_rows(const View<const std::int32_t>& labels) {
  const std::int32_t* first = labels.data;
  const Index rows = labels.shape.size();
  return rows - std::count(first, first + rows, CrossEntropy::ignored);
}

[[noreturn]] void bad_label(std::int32_t label, Index row, Index classes) {
  throw std::out_of_range("cross_entropy: label " + std::to_string(label) + " of row " +
                          std::to_string(row) + " is not one of " + std::to_string(classes) +
                          " classes");
}

// Up to 64 rows at a time: every step is one loop over all of them, and the block stays in the
// first-level cache.
constexpr Index block = 64;

// p = l - max(l) and gap = max(l) - l_y for each row; a row that does not count is left as zeros.
template <class T>
void shift(const Rows<const T>& logits, const std::int32_t* labels, Index first, Index rows,
           Index classes, T* p, double* gap) {
  for (Index r = 0; r < rows; ++r, p += classes) {
    const std::int32_t label = labels[first + r];
    gap[r] = 0;
    if (label == CrossEntropy::ignored) {
      std::fill_n(p, classes, T(0));
      continue;
    }
    if (label < 0 || label >= classes) bad_label(label, first + r, classes);
    const T* l = logits[first + r];
    T largest = l[0];
    for (Index c = 1; c < classes; ++c) largest = largest < l[c] ? l[c] : largest;
    for (Index c = 0; c < classes; ++c) p[c] = l[c] - largest;
    gap[r] = static_cast<double>(largest) - static_cast<double>(l[label]);
  }
}

// p becomes the softmax of each row, and `sum` what its exponentials add up to, in double.
template <class T>
void normalise(Index rows, Index classes, T* p, double* sum) {
  for (Index i = 0; i < rows * classes; ++i) p[i] = elementary::exp(p[i]);
  for (Index r = 0; r < rows; ++r, p += classes) {
    sum[r] = 0;
    for (Index c = 0; c < classes; ++c) sum[r] += static_cast<double>(p[c]);
    const double inverse = 1 / sum[r];
    for (Index c = 0; c < classes; ++c) p[c] = static_cast<T>(static_cast<double>(p[c]) * inverse);
  }
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
  const Rows<const T> logits(args.in[0]);
  const Index classes = args.in[0].shape.cols(), rows = labels.shape.size();
  std::array<double, block> gap{}, sum{};
  double loss = 0;
  for (Index first = 0; first < rows; first += block) {
    const Index count = std::min(block, rows - first);
    T* p = args.saved.data + first * classes;
    shift(logits, labels.data, first, count, classes, p, gap.data());
    normalise(count, classes, p, sum.data());
    // 1 <= total <= classes, or NaN, which total - total passes on.
    for (double& total : sum) total = elementary::log_normal(total) + (total - total);
    for (Index r = 0; r < count; ++r) {
      if (labels.data[first + r] != ignored) {
        loss += gap[static_cast<std::size_t>(r)] + sum[static_cast<std::size_t>(r)];
      }
    }
  }
  const Index counted = count_rows(labels);
  *args.out.data = counted == 0 ? T(0) : static_cast<T>(loss / static_cast<double>(counted));
}

template <class T>
void CrossEntropy::vjp(const VjpArgs<T>& args) const {
  if (!args.d_in[0]) return;
  const Index counted = count_rows(labels), classes = args.in[0].shape.cols();
  const T share = counted == 0 ? T(0) : *args.d_out.data / static_cast<T>(counted);
  const Rows<T> d_logits(args.d_in[0]);
  for (Index r = 0; r < labels.shape.size(); ++r) {
    const std::int32_t label = labels.data[r];
    const T* p = args.saved.data + r * classes;
    T* __restrict d_l = d_logits[r];
    if (args.fresh[0]) std::fill_n(d_l, classes, T(0));
    if (label == ignored) continue;
    T others = 0;
    for (Index c = 0; c < classes; ++c) others += c == label ? T(0) : p[c];
    const T at_label = d_l[label] - share * others;
    for (Index c = 0; c < classes; ++c) d_l[c] += share * p[c];  // dl_ic += dL (p_ic - [c = y]) / N
    d_l[label] = at_label;
  }
}

template void CrossEntropy::forward(const ForwardArgs<float>&) const;
template void CrossEntropy::forward(const ForwardArgs<double>&) const;
template void CrossEntropy::vjp(const VjpArgs<float>&) const;
template void CrossEntropy::vjp(const VjpArgs<double>&) const;

}  // namespace rootdk
