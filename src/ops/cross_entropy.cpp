#include "rootdk/ops/cross_entropy.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "../gemm/transpose_block.hpp"
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

// Rows are handled 64 at a time, turned over: entry (c, r) of a block is class c of its row r. Each
// step is then a loop over rows, which vectorises however few the classes are.
constexpr Index block = 64;

Index blocks_of(Index rows) { return (rows + block - 1) / block; }

// How saved storage is divided: the blocks of p, and 1 - p_y of each row.
template <class T>
struct Saved {
  T* p;
  T* others;
  Saved(const View<T>& saved, Index rows, Index classes)
      : p(saved.data), others(saved.data + blocks_of(rows) * classes * block) {}
};

template <class T>
struct Block {
  Index rows, classes;
  T* p;                        // (classes, block)
  T* others;                   // (block)
  const std::int32_t* labels;  // (rows)

  // p = l, turned over; rows that do not count, or do not exist, are zeros.
  void turn(const View<const T>& logits, Index first) const {
    if (rows < block) std::fill_n(p, classes * block, T(0));
    if (logits.is_contiguous()) {
      transpose_into(logits.data + first * classes, classes, rows, classes, p, block);
    } else {
      for (Index r = 0; r < rows; ++r) {
        const T* l = logits.row(first + r);
        for (Index c = 0; c < classes; ++c) p[c * block + r] = l[c];
      }
    }
    for (Index r = 0; r < rows; ++r) {
      if (labels[r] == CrossEntropy::ignored) {
        for (Index c = 0; c < classes; ++c) p[c * block + r] = 0;
      } else if (labels[r] < 0 || labels[r] >= classes) {
        bad_label(labels[r], first + r, classes);
      }
    }
  }

  // p = l - max(l) and gap = max(l) - l_y
  void shift(std::array<double, block>& gap) const {
    std::array<T, block> largest;
    std::copy_n(p, block, largest.data());
    for (Index c = 1; c < classes; ++c) {
      for (std::size_t r = 0; r < largest.size(); ++r) {
        const T l = p[c * block + static_cast<Index>(r)];
        largest[r] = largest[r] < l ? l : largest[r];
      }
    }
    for (Index c = 0; c < classes; ++c) {
      for (std::size_t r = 0; r < largest.size(); ++r)
        p[c * block + static_cast<Index>(r)] -= largest[r];
    }
    for (Index r = 0; r < rows; ++r) {
      const Index y = labels[r] == CrossEntropy::ignored ? 0 : labels[r];
      gap[static_cast<std::size_t>(r)] = -static_cast<double>(p[y * block + r]);
    }
  }

  // p becomes the softmax of each row, and `sum` what its exponentials add up to, in double.
  void normalise(std::array<double, block>& sum) const {
    for (Index i = 0; i < classes * block; ++i) p[i] = elementary::exp_nonpositive(p[i]);
    std::array<T, block> inverse;
    sum.fill(0);
    for (Index c = 0; c < classes; ++c) {
      for (std::size_t r = 0; r < sum.size(); ++r) {
        sum[r] += static_cast<double>(p[c * block + static_cast<Index>(r)]);
      }
    }
    for (std::size_t r = 0; r < sum.size(); ++r) inverse[r] = static_cast<T>(1 / sum[r]);
    std::fill_n(others, block, T(0));
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(classes); ++c) {
      T* __restrict of_class = p + c * block;
      for (std::size_t r = 0; r < sum.size(); ++r) {
        of_class[r] *= inverse[r];
      }
      for (Index r = 0; r < rows; ++r) others[r] += labels[r] == c ? T(0) : of_class[r];
    }
  }
};

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
  const Saved<T> saved(args.saved, rows, classes);
  std::array<double, block> gap{}, sum{};
  double loss = 0;
  for (Index first = 0; first < rows; first += block) {
    const Block<T> some{std::min(block, rows - first), classes, saved.p + first * classes,
                        saved.others + first, labels.data + first};
    some.turn(args.in[0], first);
    some.shift(gap);
    some.normalise(sum);
    // 1 <= total <= classes, or NaN, which total - total passes on.
    for (double& total : sum) total = elementary::log_normal(total) + (total - total);
    for (std::size_t r = 0; r < static_cast<std::size_t>(some.rows); ++r) {
      if (some.labels[r] != ignored) loss += gap[r] + sum[r];
    }
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
  const Saved<T> saved(args.saved, rows, classes);
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
