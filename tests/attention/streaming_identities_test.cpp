// What streaming attention promises beside its values: identities, layouts, memory, and errors.
#include <numeric>

#include "catch.hpp"
#include "rootdk/attention/attention.hpp"
#include "rootdk/autodiff/gradcheck.hpp"
#include "support/tensors.hpp"

using namespace rootdk;

namespace {

constexpr StreamingAttention small_tiles{.factor = 0.5, .query_tile = 2, .key_tile = 3};

void expect_close(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    CHECK(a[i] == Approx(b[i]).epsilon(1e-12).margin(1e-14));
}

}  // namespace

TEST_CASE("streaming attention: the order of the keys changes nothing", "[attention][streaming]") {
  const Index n = 11;
  Tape<double> tape;
  const auto q = normal(tape, Shape{5, 4}, 1), k = normal(tape, Shape{n, 4}, 2, 3),
             v = normal(tape, Shape{n, 2}, 3);
  const auto k_moved = tape.variable(k.shape()), v_moved = tape.variable(v.shape());
  for (Index j = 0; j < n; ++j) {
    for (Index c = 0; c < 4; ++c) k_moved.writable_value()(4 * j % n, c) = k.value()(j, c);
    for (Index c = 0; c < 2; ++c) v_moved.writable_value()(4 * j % n, c) = v.value()(j, c);
  }
  const auto in_order = streaming_attention(q, k, v, small_tiles);
  const auto moved = streaming_attention(q, k_moved, v_moved, small_tiles);
  expect_close(values(moved.value()), values(in_order.value()));
}

TEST_CASE(
    "streaming attention: equal values come out as they are, and backward twice gives the same "
    "bits",
    "[attention][streaming]") {
  Tape<double> tape;
  const auto x = normal(tape, Shape{9, 3}, 1, 2), v = tape.variable(Shape{9, 2});
  write(v, std::vector<double>(18, 0.75));
  const auto o = streaming_attention(x, x, v, small_tiles);
  expect_close(values(o.value()), std::vector<double>(18, 0.75));
  Tape<double> other;
  const auto g = values(normal(other, Shape{9, 2}, 2).value());
  tape.backward(o, View<const double>(g.data(), Shape{9, 2}));
  const auto once = values(x.grad());
  tape.backward(o, View<const double>(g.data(), Shape{9, 2}));
  CHECK(values(x.grad()) == once);
  for (const double d : once) CHECK(std::abs(d) < 1e-13);  // all weights average the same value
}

TEST_CASE("streaming attention: Q = K = V = X gets the sum of three gradients",
          "[attention][streaming][gradcheck]") {
  const bool causal = GENERATE(false, true);
  Tape<double> tape;
  const auto x = normal(tape, Shape{7, 3}, 1);
  StreamingAttention op = small_tiles;
  op.mask.causal = causal;
  const auto report = gradcheck("Q = K = V = X", streaming_attention(x, x, x, op), std::array{x});
  INFO(report.log);
  CHECK(report.ok);
}

TEST_CASE("streaming attention: transposed inputs and heads of a wider tensor",
          "[attention][streaming][gradcheck]") {
  Tape<double> tape;
  const auto wide = normal(tape, Shape{5, 9}, 1), tall = normal(tape, Shape{4, 7}, 2);
  const auto q = tape.alias(wide, [](View<double> x) { return x.slice(1, 2, 4); });
  const auto v =
      tape.alias(normal(tape, Shape{7, 6}, 3), [](View<double> x) { return x.slice(1, 3, 2); });
  const auto k = transpose(tall);
  const auto o = streaming_attention(q, k, v, small_tiles);
  expect_close(values(o.value()),
               values(attention(q, k, v, {.rule = score_rule("0.5")}).output.value()));
  const auto report = gradcheck("strided", o, std::array{wide, tall, v});
  INFO(report.log);
  CHECK(report.ok);
}

TEST_CASE("streaming attention: masks are read anew at every replay",
          "[attention][streaming][mask]") {
  Tape<double> tape;
  const auto x = normal(tape, Shape{1, 4, 2}, 1);
  const View<std::int32_t> lengths = tape.data<std::int32_t>(Shape{1});
  lengths.data[0] = 1;
  const auto o =
      attention(x, x, x, {.mask = {.lengths = lengths}, .kind = AttentionKind::streaming}).output;
  const auto all = attention(x, x, x, {.mask = {.lengths = lengths}}).output;
  lengths.data[0] = 3;
  tape.replay();
  expect_close(values(o.value()), values(all.value()));
}

TEST_CASE("streaming attention: memory grows as n, and stays below 100 MB at n = 10000",
          "[attention][streaming]") {
  const auto bytes = [](Index n) {
    Tape<float> tape;
    const auto x = normal(tape, Shape{n, 64}, 1);
    attention(x, x, x, {.mask = {.causal = true}, .kind = AttentionKind::streaming});
    return tape.bytes();
  };
  const std::size_t at_1000 = bytes(1000), at_2000 = bytes(2000), at_10000 = bytes(10000);
  const std::size_t a_row = 4 * (2 * 64 + 2 * 64 + 3);  // X, O and their gradients; m, 1/l and D
  CHECK(std::abs(static_cast<double>(at_2000 - at_1000) - 1000.0 * static_cast<double>(a_row)) <
        512);
  CHECK(std::abs(static_cast<double>(at_10000 - at_1000) - 9000.0 * static_cast<double>(a_row)) <
        512);
  CHECK(at_10000 < 100'000'000);
}

TEST_CASE("attention: streaming records the output alone, under its name",
          "[attention][streaming]") {
  Tape<double> tape;
  const auto x = normal(tape, Shape{3, 2}, 1);
  const auto result = attention(x, x, x, {.kind = AttentionKind::streaming});
  CHECK(tape.size() == 2);
  CHECK(result.output.shape() == Shape{3, 2});
  CHECK_THROWS_WITH(result.weights.value(), ROOTDK_CONTAINS("on no tape"));
  for (const auto kind : {AttentionKind::materialised, AttentionKind::streaming}) {
    CHECK(attention_kind(to_string(kind)) == kind);
  }
  CHECK_THROWS_WITH(attention_kind("flash"), ROOTDK_CONTAINS("materialised, streaming"));
}

TEST_CASE("streaming attention: shapes that do not fit are refused by name",
          "[attention][streaming]") {
  Tape<double> tape;
  const auto refuse = [&](const Shape& q, const Shape& k, const Shape& v, const char* complaint) {
    const auto a = tape.variable(q), b = tape.variable(k), c = tape.variable(v);
    CHECK_THROWS_WITH(streaming_attention(a, b, c),
                      ROOTDK_CONTAINS("streaming_attention") && ROOTDK_CONTAINS(complaint));
  };
  refuse(Shape{2, 3}, Shape{4, 2}, Shape{4, 2}, "differ in width");
  refuse(Shape{2, 3}, Shape{4, 3}, Shape{5, 2}, "one value for each key");
  refuse(Shape{2, 2, 3}, Shape{3, 4, 3}, Shape{2, 4, 2}, "leading axes differ");
  refuse(Shape{2, 3}, Shape{2, 4, 3}, Shape{2, 4, 2}, "of one rank");
  const auto x = tape.variable(Shape{2, 3});
  CHECK_THROWS_WITH(streaming_attention(x, x, x, {.key_tile = 0}),
                    ROOTDK_CONTAINS("extent below 1"));
  const std::array<bool, 4> allowed{};
  const auto y = tape.variable(Shape{3, 3});
  CHECK_THROWS_WITH(
      streaming_attention(x, y, y, {.mask = {.allowed = {allowed.data(), Shape{2, 2}}}}),
      ROOTDK_CONTAINS("the mask has shape (2, 3)"));
}
