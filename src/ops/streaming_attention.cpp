#include "rootdk/ops/streaming_attention.hpp"

#include "online_softmax.hpp"
#include "score_tile.hpp"

namespace rootdk {
namespace {

struct TileExtents {
  Index queries, keys;
  TileExtents(const StreamingAttention& op, const Shape& q, const Shape& k)
      : queries(std::min(op.query_tile, q[-2])), keys(std::min(op.key_tile, k[-2])) {}
  Index numbers() const { return queries * std::max(queries, keys); }
};

// How saved storage is divided.
template <class T>
struct Saved {
  T *scores, *gradients;  // two tiles
  T* dot;                 // D_i of one matrix
  T *largest, *inverse;   // m_i and 1/l_i (the sum so far, until a row is complete) of all
  static Index numbers(const TileExtents& tile, const Shape& q) {
    return 2 * tile.numbers() + q[-2] + 2 * q.rows();
  }
  Saved(const TileExtents& tile, const Shape& q, T* first)
      : scores(first),
        gradients(scores + tile.numbers()),
        dot(gradients + tile.numbers()),
        largest(dot + q[-2]),
        inverse(largest + q.rows()) {}
};

// The attention of one matrix of queries.
template <class T>
class OneAttention {
 public:
  OneAttention(const StreamingAttention& op, Index m, std::span<const View<const T>> in,
               const View<T>& saved)
      : op_(op),
        extents_(op, in[0].shape, in[1].shape),
        sequence_(sequence_of(in[0].shape, m)),
        factor_(static_cast<T>(op.factor)),
        q_(in[0].matrix(m)),
        k_(in[1].matrix(m)),
        v_(in[2].matrix(m)),
        saved_(extents_, in[0].shape, saved.data),
        largest_(saved_.largest + m * q_.shape[0]),
        inverse_(saved_.inverse + m * q_.shape[0]) {}

  void forward(const View<T>& o) const {
    for (Index i = 0; i < q_.shape[0]; i += extents_.queries) {
      const Index rows = std::min(extents_.queries, q_.shape[0] - i);
      std::fill_n(largest_ + i, rows, no_score_yet<T>);
      std::fill_n(inverse_ + i, rows, T(0));
      std::fill_n(o.row(i), rows * o.shape[1], T(0));
      for (Index j = 0; j < k_.shape[0]; j += extents_.keys) {
        const ScoreTile tile = tile_at(i, j);
        if (tile.keys == 0) break;
        join(tile, o.slice(0, i, rows));
      }
      for (Index r = i; r < i + rows; ++r) finish_row(r, o.row(r), o.shape[1]);
    }
  }

  // Keys outside: their gradients stay in the cache while the queries pass by.
  void vjp(const View<const T>& o, const View<const T>& d_o, std::span<const View<T>> d_in) const {
    dots(o, d_o);
    for (Index j = 0; j < k_.shape[0]; j += extents_.keys) {
      for (Index i = 0; i < q_.shape[0]; i += extents_.queries) {
        const ScoreTile tile = tile_at(i, j);
        if (tile.keys > 0) vjp_of_tile(tile, d_o.slice(0, i, tile.queries), d_in);
      }
    }
  }

 private:
  ScoreTile tile_at(Index i, Index j) const {
    const Index n_keys = k_.shape[0], rows = std::min(extents_.queries, q_.shape[0] - i);
    // The later a query, the more keys it sees: the last of the tile decides where the tile ends.
    const Index first = op_.mask.row(sequence_, i, n_keys).count;
    const Index last = op_.mask.row(sequence_, i + rows - 1, n_keys).count;
    const Index columns = std::clamp<Index>(last - j, 0, extents_.keys);
    const bool partial = op_.mask.allowed || first < j + columns;
    return {op_.mask, sequence_, n_keys, i, rows, j, columns, partial};
  }

  // z = s q k^T of a tile, into the first of the two tiles
  View<T> scores(const ScoreTile& tile) const {
    const View<T> z(saved_.scores, Shape{tile.queries, tile.keys});
    gemm<T>(op_.backend, factor_, q_.slice(0, tile.query, tile.queries),
            k_.slice(0, tile.key, tile.keys).transposed(), T(0), z);
    return z;
  }

  void join(const ScoreTile& tile, const View<T>& o) const {
    const View<T> p = scores(tile);
    tile.hide(p, -std::numeric_limits<T>::infinity());
    for (Index r = 0; r < tile.queries; ++r) {
      const Index i = tile.query + r;
      const T shrink = join_scores(p.row(r), tile.keys, largest_[i], inverse_[i]);
      if (shrink == T(1)) continue;
      T* __restrict o_i = o.row(r);
      for (Index c = 0; c < o.shape[1]; ++c) o_i[c] *= shrink;
    }
    tile.add_product<T>(op_.backend, p, v_.slice(0, tile.key, tile.keys), o);
  }

  // o_i / l_i, unless the row sees no key
  void finish_row(Index i, T* o_i, Index d_v) const {
    const bool any = op_.mask.row(sequence_, i, k_.shape[0]).any();
    inverse_[i] = any ? T(1) / inverse_[i] : T(0);
    for (Index c = 0; any && c < d_v; ++c) o_i[c] *= inverse_[i];
  }

  // D_i = do_i . o_i, the diagonal of dO O^T
  void dots(const View<const T>& o, const View<const T>& d_o) const {
    for (Index i = 0; i < q_.shape[0]; i += extents_.queries) {
      const Index rows = std::min(extents_.queries, q_.shape[0] - i);
      const View<T> products(saved_.scores, Shape{rows, rows});
      gemm<T>(op_.backend, T(1), d_o.slice(0, i, rows), o.slice(0, i, rows).transposed(), T(0),
              products);
      for (Index r = 0; r < rows; ++r) saved_.dot[i + r] = products(r, r);
    }
  }

  void vjp_of_tile(const ScoreTile& tile, const View<const T>& d_o,
                   std::span<const View<T>> d_in) const {
    const auto queries = [&](const auto& x) { return x.slice(0, tile.query, tile.queries); };
    const auto keys = [&](const auto& x) { return x.slice(0, tile.key, tile.keys); };
    const View<T> p = scores(tile), d_s(saved_.gradients, p.shape);
    gemm<T>(op_.backend, T(1), d_o, keys(v_).transposed(), T(0), d_s);  // dp
    for (Index r = 0; r < tile.queries; ++r) {
      const Index i = tile.query + r;
      const RowStatistics<T> row{largest_[i], inverse_[i], saved_.dot[i]};
      weights_and_score_gradients(p.row(r), d_s.row(r), tile.keys, row, factor_);
    }
    tile.hide(p, T(0));
    tile.hide(d_s, T(0));
    if (d_in[2]) tile.add_transposed_product<T>(op_.backend, p, d_o, keys(d_in[2]));
    if (d_in[0]) tile.add_product<T>(op_.backend, d_s, keys(k_), queries(d_in[0]));
    if (d_in[1]) {
      tile.add_transposed_product<T>(op_.backend, d_s, queries(q_), keys(d_in[1]));
    }
  }

  const StreamingAttention& op_;
  TileExtents extents_;
  Index sequence_;
  T factor_;
  View<const T> q_, k_, v_;
  Saved<T> saved_;
  T *largest_, *inverse_;
};

}  // namespace

Shape StreamingAttention::output_shape(std::span<const Shape> in) const {
  expect_inputs(name, in, 3);
  const Shape &q = in[0], &k = in[1], &v = in[2];
  if (query_tile < 1 || key_tile < 1) shape_error(name, "a tile has an extent below 1", in);
  if (q.rank() < 2 || k.rank() != q.rank() || v.rank() != q.rank()) {
    shape_error(name, "takes queries, keys and values of one rank, at least 2", in);
  }
  if (q[-1] != k[-1]) shape_error(name, "queries and keys differ in width", in);
  if (k[-2] != v[-2]) shape_error(name, "there is not one value for each key", in);
  if (!same_stack(q, k) || !same_stack(q, v)) shape_error(name, "the leading axes differ", in);
  mask.expect_fits(name, q.with(-1, k[-2]));
  return q.with(-1, v[-1]);
}

Shape StreamingAttention::saved_shape(std::span<const Shape> in) const {
  return Shape{Saved<float>::numbers(TileExtents(*this, in[0], in[1]), in[0])};
}

template <class T>
void StreamingAttention::forward(const ForwardArgs<T>& args) const {
  for (Index m = 0; m < args.out.shape.matrices(); ++m) {
    OneAttention<T>(*this, m, args.in, args.saved).forward(args.out.matrix(m));
  }
}

template <class T>
void StreamingAttention::vjp(const VjpArgs<T>& args) const {
  for (Index m = 0; m < args.out.shape.matrices(); ++m) {
    std::array<View<T>, 3> d_in;
    for (std::size_t i = 0; i < d_in.size(); ++i) {
      if (args.d_in[i]) d_in[i] = args.d_in[i].matrix(m);
    }
    OneAttention<T>(*this, m, args.in, args.saved)
        .vjp(args.out.matrix(m), args.d_out.matrix(m), d_in);
  }
}

template void StreamingAttention::forward(const ForwardArgs<float>&) const;
template void StreamingAttention::forward(const ForwardArgs<double>&) const;
template void StreamingAttention::vjp(const VjpArgs<float>&) const;
template void StreamingAttention::vjp(const VjpArgs<double>&) const;

}  // namespace rootdk
