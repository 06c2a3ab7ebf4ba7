#pragma once
#include <array>
#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "rootdk/autodiff/view.hpp"

namespace rootdk {

// The contract of a differentiable operation y = f(x_0, x_1, ...).
//
// An op is a small, trivially copyable struct: its members are constants (a factor, a mask, a view of
// labels), never state. It provides, for float and for double:
//
//   static constexpr std::string_view name      what errors and probes call it
//   Shape output_shape(shapes) const            checks the inputs' shapes; throws shape_error
//   Shape saved_shape(shapes) const             optional: storage that forward leaves for vjp
//   void forward(const ForwardArgs<T>&) const   writes every entry of y (and of saved)
//   void vjp(const VjpArgs<T>&) const           the backward rule: for each wanted input
//                                               d_in += (dy/dx_i)^T d_out
//
// vjp ACCUMULATES: an input may be used in many places, and its gradient is the sum over them. It
// leaves alone an input that wants no gradient (d_in[i] points nowhere). Neither may allocate.
//
// An op may spare that sum its first zero: if it declares
//
//   static constexpr bool writes_fresh_gradients = true
//
// then where fresh[i] holds d_in[i] contains nothing yet (not even zeros), and vjp writes all of it.
// The derivation stands above the struct: Forward / Shapes / Saved / VJP / Notes.

inline constexpr std::size_t max_inputs = 4;

template <class T>
struct ForwardArgs {
  std::span<const View<const T>> in;
  View<T> out;    // contiguous
  View<T> saved;  // contiguous; nowhere when the op has no saved_shape
};

template <class T>
struct VjpArgs {
  std::span<const View<const T>> in;
  View<const T> out;
  // As forward left it but for what vjp wrote in an earlier backward pass: scratch may only be what vjp
  // does not read before it has written it.
  View<T> saved;
  View<const T> d_out;                   // the cotangent dL/dy, contiguous
  std::span<const View<T>> d_in;         // laid out as the inputs
  std::array<bool, max_inputs> fresh{};  // all false unless the op writes fresh gradients
};

template <class O, class T>
concept OpFor = std::is_trivially_copyable_v<O> &&
    requires(const O& op, std::span<const Shape> shapes, const ForwardArgs<T>& forward,
             const VjpArgs<T>& vjp) {
  { O::name } -> std::convertible_to<std::string_view>;
  { op.output_shape(shapes) } -> std::same_as<Shape>;
  { op.forward(forward) } -> std::same_as<void>;
  { op.vjp(vjp) } -> std::same_as<void>;
};

template <class O>
concept Op = OpFor<O, float> && OpFor<O, double>;

template <class O>
concept SavesForVjp = requires(const O& op, std::span<const Shape> shapes) {
  { op.saved_shape(shapes) } -> std::same_as<Shape>;
};

template <class O>
inline constexpr bool writes_fresh_gradients = false;
template <class O>
requires requires { O::writes_fresh_gradients; }
inline constexpr bool writes_fresh_gradients<O> = O::writes_fresh_gradients;

// "matmul: inner extents differ, inputs (2, 3) and (4, 5)", as std::invalid_argument.
[[noreturn]] void shape_error(std::string_view op, const std::string& complaint,
                              std::span<const Shape> inputs);
// Throws shape_error unless exactly `count` inputs came.
void expect_inputs(std::string_view op, std::span<const Shape> inputs, std::size_t count);
// Throws std::invalid_argument that names op and operand unless each row lies without gaps.
template <class T>
void expect_contiguous_rows(std::string_view op, std::string_view operand, const View<T>& view);
[[noreturn]] void layout_error(std::string_view op, std::string_view operand, const Shape& shape);

template <class T>
void expect_contiguous_rows(std::string_view op, std::string_view operand, const View<T>& view) {
  if (!view.has_contiguous_rows()) layout_error(op, operand, view.shape);
}

}  // namespace rootdk
