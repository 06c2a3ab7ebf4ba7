#include "rootdk/ops/cross_entropy.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "../gemm/transpose_block.hpp"
#include "rootdk/elementary.hpp"
#include "row_kernels.hpp"

namespace rootdk {
namespace {

Index count_rows(const View<const std::int32_t>& labels) {
  const std::int32_t* first = labels.data;
  const Index rows = labels.shape.size();
  return rows - std::count(first, first + rows, CrossEntropy::ignored);
}

// Names the first label that is neither a class nor `ignored`.
[[noreturn]] void bad_label(const std::int32_t* labels, Index rows, Index first, Index classes) {
  const std::int32_t* bad = std::find_if(labels, labels + rows, [classes](std::int32_t label) {
    return label != CrossEntropy::ignored && (label < 0 || label >= classes);
  });
  throw std::out_of_range("cross_entropy: label " + std::to_string(*bad) + " of row " +
                          std::to_string(first + (bad - labels)) + " is not one of " +
                          std::to_string(classes) + " classes");
}

// Rows are handled 64 at a time, turned over: entry (c, r) of a block is class c of its row r. Each
// step is then a loop over rows, which vectorises however few the classes are.
constexpr Index block = 64;

Index blocks_of(Index rows) { return (rows + block - 1) / block; }

// How saved storage is divided: the blocks of p, and 1 - p_y of each row.
template <class T>
struct SavedBlocks {
  T* p;
  T* others;
  SavedBlocks(const View<T>& saved, Index rows, Index classes)
      : p(saved.data), others(saved.data + blocks_of(rows) * classes * block) {}
};

template <class U>
using OfRows = std::array<U, block>;

template <class T>
struct Block {
  Index rows, classes;
  T* p;                        // (classes, block)
  const std::int32_t* labels;  // (rows)

  T* of_class(Index c) const { return p + c * block; }

  // p = l, turned over, and y the labels; rows that do not count, or do not exist, are zeros and -1.
  void turn(const View<const T>& logits, Index first, OfRows<std::int32_t>& y) const {
    if (rows < block) std::fill_n(p, classes * block, T(0));
    if (logits.is_contiguous()) {
      transpose_into(logits.data + first * classes, classes, rows, classes, p, block);
    } else {
      for (Index r = 0; r < rows; ++r) {
        const T* l = logits.row(first + r);
        for (Index c = 0; c < classes; ++c) of_class(c)[r] = l[c];
      }
    }
    y.fill(-1);
    std::int32_t ignored = 0, bad = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
      const bool is_class = labels[r] >= 0 && labels[r] < classes;
      const bool is_ignored = labels[r] == CrossEntropy::ignored;
      y[r] = is_class ? labels[r] : -1;
      ignored |= is_ignored ? 1 : 0;
      bad |= is_class || is_ignored ? 0 : 1;
    }
    if (bad != 0) bad_label(labels, rows, first, classes);
    for (Index r = 0; ignored != 0 && r < rows; ++r) {
      for (Index c = 0; y[static_cast<std::size_t>(r)] < 0 && c < classes; ++c) of_class(c)[r] = 0;
    }
  }

  // p = l - max(l) and gap = max(l) - l_y
  void shift(const OfRows<std::int32_t>& y, OfRows<double>& gap) const {
    OfRows<T> largest;
    std::copy_n(p, block, largest.data());
    for (Index c = 1; c < classes; ++c) {
      const T* l = of_class(c);
      for (std::size_t r = 0; r < largest.size(); ++r) {
        largest[r] = largest[r] < l[r] ? l[r] : largest[r];
      }
    }
    OfRows<T> own{};
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(classes); ++c) {
      T* l = of_class(c);
      for (std::size_t r = 0; r < own.size(); ++r) own[r] = y[r] == c ? l[r] : own[r];
      for (std::size_t r = 0; r < largest.size(); ++r) l[r] -= largest[r];
    }
    for (std::size_t r = 0; r < own.size(); ++r) {
      gap[r] = static_cast<double>(largest[r]) - static_cast<double>(own[r]);
    }
  }

  // p becomes the softmax of each row, `others` its sum over the wrong classes, and `sum` what the
  // exponentials add up to, in double, or 1 where a row does not count.
  void normalise(const OfRows<std::int32_t>& y, OfRows<double>& sum, OfRows<T>& others) const {
    for (Index i = 0; i < classes * block; ++i) p[i] = elementary::exp_nonpositive(p[i]);
    sum.fill(0);
    for (Index c = 0; c < classes; ++c) {
      const T* e = of_class(c);
      for (std::size_t r = 0; r < sum.size(); ++r) sum[r] += static_cast<double>(e[r]);
    }
    OfRows<T> inverse;
    for (std::size_t r = 0; r < sum.size(); ++r) inverse[r] = T(1) / static_cast<T>(sum[r]);
    for (std::size_t r = 0; r < sum.size(); ++r) sum[r] = y[r] < 0 ? 1 : sum[r];
    others.fill(0);
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(classes); ++c) {
      T* weight = of_class(c);
      for (std::size_t r = 0; r < sum.size(); ++r) weight[r] *= inverse[r];
      for (std::size_t r = 0; r < sum.size(); ++r) others[r] += y[r] == c ? T(0) : weight[r];
    }
  }
};

// sum_r log(s_r) as logarithms of products of eight, an eighth of the work: 1 <= s <= classes, so no
// product overflows, and it is as exact as its factors. s may be NaN, which s - s passes on.
double sum_of_logs(OfRows<double>& s) {
  constexpr std::size_t left = block / 8;
  for (std::size_t half = block / 2; half >= left; half /= 2) {
    for (std::size_t r = 0; r < half; ++r) s[r] *= s[r + half];
  }
  for (std::size_t r = 0; r < left; ++r) s[r] = elementary::log_normal(s[r]) + (s[r] - s[r]);
  return sum_of(s.data(), left);
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

Shape CrossEntropy::saved_shape(std::span<const Shape> in) const {
  return Shape{blocks_of(in[0].rows()) * (in[0].cols() + 1) * block};
}

template <class T>
void CrossEntropy::forward(const ForwardArgs<T>& args) const {
  expect_contiguous_rows(name, "logits", args.in[0]);
  const Index classes = args.in[0].shape.cols(), rows = labels.shape.size();
  const SavedBlocks<T> saved(args.saved, rows, classes);
  OfRows<std::int32_t> y;
  OfRows<double> gap, sum;
  OfRows<T> others;
  double loss = 0;
  for (Index first = 0; first < rows; first += block) {
    const Block<T> some{std::min(block, rows - first), classes, saved.p + first * classes,
                        labels.data + first};
    some.turn(args.in[0], first, y);
    some.shift(y, gap);
    some.normalise(y, sum, others);
    std::copy_n(others.data(), block, saved.others + first);
    loss += sum_of(gap.data(), block) + sum_of_logs(sum);
  }
  const Index counted = count_rows(labels);
  *args.out.data = counted == 0 ? T(0) : static_cast<T>(loss / static_cast<double>(counted));
}

template <class T>
void CrossEntropy::vjp(const VjpArgs<T>& args) const {
  if (!args.d_in[0]) return;
  const Index counted = count_rows(labels), rows = labels.shape.size();
  const Index classes = args.in[0].shape.cols();
  const T share = counted == 0 ? T(0) : *args.d_out.data / static_cast<T>(counted);
  const Rows<T> d_logits(args.d_in[0]);
  const SavedBlocks<T> saved(args.saved, rows, classes);
  const bool write = args.fresh[0] && args.d_in[0].is_contiguous();
  for (Index first = 0; first < rows; first += block) {
    const Index count = std::min(block, rows - first);
    const T* p = saved.p + first * classes;
    T* __restrict d_l = d_logits[first];
    if (write) {  // dl_ic += dL (p_ic - [c = y]) / N; a block at once where nothing stands yet
      transpose_into(p, block, classes, count, d_l, classes);
      for (Index i = 0; i < count * classes; ++i) d_l[i] *= share;
    }
    for (Index r = 0; r < count; ++r) {
      const std::int32_t y = labels.data[first + r];
      d_l = d_logits[first + r];
      if (args.fresh[0] && (!write || y == ignored)) std::fill_n(d_l, classes, T(0));
      if (y == ignored) continue;
      const T before = args.fresh[0] ? T(0) : d_l[y];
      for (Index c = 0; !write && c < classes; ++c) d_l[c] += share * p[c * block + r];
      d_l[y] = before - share * saved.others[first + r];
    }
  }
}

template void CrossEntropy::forward(const ForwardArgs<float>&) const;
template void CrossEntropy::forward(const ForwardArgs<double>&) const;
template void CrossEntropy::vjp(const VjpArgs<float>&) const;
template void CrossEntropy::vjp(const VjpArgs<double>&) const;

}  // namespace rootdk
