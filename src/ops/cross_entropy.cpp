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

[[noreturn]] void bad_label(std::int32_t label, Index row, Index classes) {
  throw std::out_of_range("cross_entropy: label " + std::to_string(label) + " of row " +
                          std::to_string(row) + " is not one of " + std::to_string(classes) +
                          " classes");
}

// Rows are handled 64 at a time, transposed: entry (c, r) of a block is class c of its row r. Each
// step is then a loop over rows, which vectorises however few the classes are.
constexpr Index block = 64;

Index blocks_of(Index rows) { return (rows + block - 1) / block; }

// How saved storage is divided: the blocks of p, 1 - p_y of each row, and room for a block of dl.
template <class T>
struct SavedBlocks {
  T *p, *others, *d_l;
  static Index numbers(Index rows, Index classes) {
    return (blocks_of(rows) * (classes + 1) + classes) * block;
  }
  SavedBlocks(const View<T>& saved, Index rows, Index classes)
      : p(saved.data),
        others(p + blocks_of(rows) * classes * block),
        d_l(others + blocks_of(rows) * block) {}
};

template <class U>
using OfRows = std::array<U, block>;

template <class T>
struct Block {
  Index rows, classes;
  T* p;                        // (classes, block)
  const std::int32_t* labels;  // (rows)

  T* of_class(Index c) const { return p + c * block; }

  // p = l, transposed, and y the labels as numbers of type T, to be compared with by the register; rows
  // that do not count, or do not exist, are zeros and -1.
  void load_transposed(const View<const T>& logits, Index first, OfRows<T>& y) const {
    if (rows < block) std::fill_n(p, classes * block, T(0));
    if (logits.is_contiguous()) {
      transpose_into(logits.data + first * classes, classes, rows, classes, p, block);
    } else {
      for (Index r = 0; r < rows; ++r) {
        const T* l = logits.row(first + r);
        for (Index c = 0; c < classes; ++c) of_class(c)[r] = l[c];
      }
    }
    if (!read_labels(y)) leave_out(first);
  }

  // Whether all labels are classes.
  bool read_labels(OfRows<T>& y) const {
    y.fill(-1);
    const auto n_classes = static_cast<std::uint32_t>(classes);
    std::uint32_t others = 0;
    for (std::size_t r = 0; r < static_cast<std::size_t>(rows); ++r) {
      const bool is_class = static_cast<std::uint32_t>(labels[r]) < n_classes;  // nor negative
      y[r] = static_cast<T>(is_class ? labels[r] : -1);
      others |= is_class ? 0U : 1U;
    }
    return others == 0;
  }

  // The rows whose label is no class count for nothing, if they say that they are to be ignored.
  void leave_out(Index first) const {
    for (Index r = 0; r < rows; ++r) {
      if (labels[r] >= 0 && labels[r] < classes) continue;
      if (labels[r] != CrossEntropy::ignored) bad_label(labels[r], first + r, classes);
      for (Index c = 0; c < classes; ++c) of_class(c)[r] = 0;
    }
  }

  // p = e^(l - max(l)) and gap = max(l) - l_y
  void exponentiate(const OfRows<T>& y, OfRows<double>& gap) const {
    OfRows<T> maxima, own_logits;
    for (Index r = 0; r < block; r += register_lanes<T>) {
      const auto labels_here = load<Register<T>>(y.data() + r);
      auto largest = load<Register<T>>(p + r);
      Register<T> own{};
      for (Index c = 0; c < classes; ++c) {
        const auto l = load<Register<T>>(of_class(c) + r);
        keep_larger(largest, l);
        own = labels_here == static_cast<T>(c) ? l : own;
      }
      store(maxima.data() + r, largest);
      store(own_logits.data() + r, own);
    }
    for (std::size_t r = 0; r < gap.size(); ++r) {
      gap[r] = static_cast<double>(maxima[r]) - static_cast<double>(own_logits[r]);
    }
    for (Index c = 0; c < classes; ++c) {
      T* e = of_class(c);
      for (std::size_t r = 0; r < maxima.size(); ++r) {
        e[r] = elementary::exp_nonpositive(e[r] - maxima[r]);
      }
    }
  }

  // p becomes the softmax of each row and `others` its sum over the wrong classes. `sum` is what the
  // exponentials add up to, in double.
  void normalise(const OfRows<T>& y, OfRows<double>& sum, T* others) const {
    constexpr Index half = register_lanes<double>;
    for (Index r = 0; r < block; r += half) {
      Vector<double, half> total{};
      for (Index c = 0; c < classes; ++c) {
        total +=
            __builtin_convertvector(load<Vector<T, half>>(of_class(c) + r), Vector<double, half>);
      }
      store(sum.data() + r, total);
    }
    OfRows<T> inverses;
    for (std::size_t r = 0; r < sum.size(); ++r) inverses[r] = T(1) / static_cast<T>(sum[r]);
    for (Index r = 0; r < block; r += register_lanes<T>) {
      const auto labels_here = load<Register<T>>(y.data() + r);
      const auto inverse = load<Register<T>>(inverses.data() + r);
      Register<T> wrong{};
      for (Index c = 0; c < classes; ++c) {
        const Register<T> weight = load<Register<T>>(of_class(c) + r) * inverse;
        store(of_class(c) + r, weight);
        wrong += labels_here == static_cast<T>(c) ? Register<T>{} : weight;
      }
      store(others + r, wrong);
    }
  }

  // d_l = share (p_c - [c = y]), transposed like p, with p_y - 1 formed as -others; 0 in rows that do
  // not count.
  void gradients(T share, const T* others, T* d_l) const {
    OfRows<T> y;
    read_labels(y);
    for (Index r = 0; r < block; r += register_lanes<T>) {
      const auto labels_here = load<Register<T>>(y.data() + r);
      const Register<T> shares = labels_here < T(0) ? Register<T>{} : Register<T>{} + share;
      const Register<T> right = -shares * load<Register<T>>(others + r);
      for (Index c = 0; c < classes; ++c) {
        const Register<T> wrong = shares * load<Register<T>>(of_class(c) + r);
        store(d_l + c * block + r, labels_here == static_cast<T>(c) ? right : wrong);
      }
    }
  }
};

// The summed loss of a block: of each row gap + log(1 + x), 1 + x being the sum of its exponentials.
// Where the right class has the largest logit x is the sum over the wrong ones, which does not cancel;
// elsewhere it is what the sum is above 1, and any error in it is nothing beside the gap.
//
// Logarithms are taken of products of eight, an eighth of the work: (1 + a)(1 + b) = 1 + (a + b + a b).
// No product overflows, since 1 + x <= classes. x may be NaN, which x - x passes on.
template <class T>
double loss_of_rows(const OfRows<T>& y, const OfRows<double>& gap, const OfRows<double>& sum,
                    const T* others) {
  OfRows<double> x;
  for (std::size_t r = 0; r < x.size(); ++r) {
    const double wrong = sum[r] * static_cast<double>(others[r]);
    x[r] = gap[r] > 0 ? sum[r] - 1 : wrong;
  }
  for (std::size_t r = 0; r < x.size(); ++r) x[r] = y[r] < 0 ? 0 : x[r];
  constexpr std::size_t left = block / 8;
  for (std::size_t half = block / 2; half >= left; half /= 2) {
    for (std::size_t r = 0; r < half; ++r) x[r] += x[r + half] + x[r] * x[r + half];
  }
  for (std::size_t r = 0; r < left; ++r) x[r] = elementary::log1p_positive(x[r]) + (x[r] - x[r]);
  return sum_of(gap.data(), block) + sum_of(x.data(), left);
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
  return Shape{SavedBlocks<float>::numbers(in[0].rows(), in[0].cols())};
}

template <class T>
void CrossEntropy::forward(const ForwardArgs<T>& args) const {
  expect_contiguous_rows(name, "logits", args.in[0]);
  const Index classes = args.in[0].shape.cols(), rows = labels.shape.size();
  const SavedBlocks<T> saved(args.saved, rows, classes);
  OfRows<T> y;
  OfRows<double> gap, sum;
  double loss = 0;
  for (Index first = 0; first < rows; first += block) {
    const Block<T> some{std::min(block, rows - first), classes, saved.p + first * classes,
                        labels.data + first};
    some.load_transposed(args.in[0], first, y);
    some.exponentiate(y, gap);
    some.normalise(y, sum, saved.others + first);
    loss += loss_of_rows(y, gap, sum, saved.others + first);
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
  const T* d_l = saved.d_l;
  for (Index first = 0; first < rows; first += block) {
    const Block<T> some{std::min(block, rows - first), classes, saved.p + first * classes,
                        labels.data + first};
    some.gradients(share, saved.others + first, saved.d_l);
    if (args.fresh[0] && args.d_in[0].is_contiguous()) {
      transpose_into(d_l, block, classes, some.rows, d_logits[first], classes);
      continue;
    }
    for (Index r = 0; r < some.rows; ++r) {
      T* to = d_logits[first + r];
      if (args.fresh[0]) std::fill_n(to, classes, T(0));
      for (Index c = 0; c < classes; ++c) to[c] += d_l[c * block + r];
    }
  }
}

template void CrossEntropy::forward(const ForwardArgs<float>&) const;
template void CrossEntropy::forward(const ForwardArgs<double>&) const;
template void CrossEntropy::vjp(const VjpArgs<float>&) const;
template void CrossEntropy::vjp(const VjpArgs<double>&) const;

}  // namespace rootdk
