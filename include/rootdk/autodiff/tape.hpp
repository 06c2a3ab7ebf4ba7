#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "rootdk/autodiff/arena.hpp"
#include "rootdk/autodiff/op.hpp"
#include "rootdk/autodiff/parameter.hpp"
#include "rootdk/autodiff/view.hpp"

namespace rootdk {

template <class T>
class Tape;

// A handle on one node of a tape; cheap to copy. It dies with Tape::rewind: using it later throws
// std::logic_error instead of reading another node's memory.
template <class T>
class Var {
 public:
  Var() = default;
  // Throws std::logic_error for a handle that was never recorded.
  Tape<T>& tape() const {
    if (tape_ == nullptr) throw std::logic_error("this variable is on no tape");
    return *tape_;
  }
  const Shape& shape() const;
  View<const T> value() const;
  // Gradient of the last backward pass; nowhere when the node wants none.
  View<const T> grad() const;
  // Where to write an input. Replay then recomputes what depends on it.
  View<T> writable_value() const;
  // A name for error messages; returns itself.
  Var label(std::string_view text) const;

 private:
  friend class Tape<T>;
  Var(Tape<T>* tape, std::int32_t index, std::uint32_t generation)
      : tape_(tape), index_(index), generation_(generation) {}
  Tape<T>* tape_ = nullptr;
  std::int32_t index_ = -1;
  std::uint32_t generation_ = 0;
};

// What the guard found: the first op whose result is not finite, with the range of its inputs.
struct NonFinite : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Guard { off, on };

// Reverse-mode differentiation by recording once and replaying many times.
//
// Applying an op runs it at once and appends a node, so the order of creation is a topological order.
// Everything a node needs (value, gradient, saved storage, the op itself) lies in one arena: replay()
// and backward() allocate nothing, and addresses stay valid until rewind().
//
// backward() makes every gradient on this tape anew, so calling it twice gives the same bits. A
// gradient is the sum over all uses of a tensor, and zero when there are none.
template <class T>
class Tape {
 public:
  Tape() = default;
  Tape(const Tape&) = delete;  // nodes and handles point into it
  Tape& operator=(const Tape&) = delete;

  // Leaves. A constant wants no gradient, a variable does; both live on the tape, filled with zeros.
  Var<T> constant(const Shape& shape, std::string_view label = "");
  Var<T> variable(const Shape& shape, std::string_view label = "");
  // A view on a parameter's value and gradient (the same one when asked again), or (frozen) on its
  // value alone.
  Var<T> parameter(Parameter<T>& parameter);
  Var<T> frozen(const Parameter<T>& parameter);

  // A buffer that is not differentiated (labels, masks): replay reads its current content.
  template <class U>
  View<U> data(const Shape& shape) {
    return arena_.tensor<U>(shape);
  }

  // Runs the op and records it. Throws what the op's shape check throws; nothing is recorded then.
  template <Op O>
  Var<T> apply(const O& op, std::span<const Var<T>> inputs);
  template <Op O>
  Var<T> apply(const O& op, std::initializer_list<Var<T>> inputs) {
    return apply(op, std::span(inputs.begin(), inputs.size()));
  }

  // The same memory seen through another view: `look` maps a View<T> to a View<T> (transposed, sliced,
  // heads split). Values and gradients are the parent's own: no copy, no VJP. `look` must map no two
  // of its indices to one element.
  template <class Look>
  Var<T> alias(Var<T> parent, Look&& look);

  // Recomputes every node in order from the current content of leaves and data.
  void replay(Guard guard = Guard::off);
  // Gradients of a scalar.
  void backward(Var<T> loss, Guard guard = Guard::off);
  // Gradients of <cotangent, output>; the cotangent has the output's shape and is contiguous.
  void backward(Var<T> output, View<const T> cotangent, Guard guard = Guard::off);

  // Fills every gradient with NaN. A backward pass makes them all anew, so this changes nothing that
  // is read after the next one; gradcheck holds ops to it.
  void spoil_gradients();

  // Forgets every node but keeps the memory, for recording another graph.
  void rewind();

  std::size_t bytes() const { return arena_.used(); }
  Index size() const { return static_cast<Index>(nodes_.size()); }

 private:
  friend class Var<T>;
  using ForwardFunction = void (*)(const void* op, const ForwardArgs<T>&);
  using VjpFunction = void (*)(const void* op, const VjpArgs<T>&);
  struct Node {
    View<T> value;
    View<T> grad;  // nowhere when no gradient is wanted
    View<T> saved;
    const void* op = nullptr;  // nowhere for leaves and aliases
    ForwardFunction forward = nullptr;
    VjpFunction vjp = nullptr;
    std::string_view op_name;
    std::string_view label;  // kept in the arena
    std::array<std::int32_t, max_inputs> input{};
    std::array<View<const T>, max_inputs> in;  // values and gradients of the inputs
    std::array<View<T>, max_inputs> d_in;
    std::uint8_t inputs = 0;
    bool is_alias = false;  // shares its parent's gradient
    bool writes_fresh = false;
    std::int32_t storage = -1;  // the node whose memory it looks at: its own, unless an alias
    // During a backward pass:
    bool reached = false;  // the loss depends on it
    bool fresh = false;    // nothing has been written to its gradient so far
  };
  Var<T> push(const Node& node);
  Var<T> leaf(View<T> value, View<T> grad, std::string_view label);
  const Node& node(const Var<T>& var) const;
  Node& node(const Var<T>& var);
  std::array<bool, max_inputs> open_gradients(const Node& node);
  std::string_view keep(std::string_view text);
  void run_forward(const Node& node) const;
  void run_vjp(const Node& node);
  void check_forward(const Node& node) const;
  void check_vjp(const Node& node) const;
  std::string describe(const Node& node) const;

  Arena arena_;
  std::vector<Node> nodes_;
  std::uint32_t generation_ = 1;
};

// ---- templates ----

template <class T>
template <Op O>
Var<T> Tape<T>::apply(const O& op, std::span<const Var<T>> inputs) {
  if (inputs.size() > max_inputs) throw std::logic_error("an op takes at most 4 inputs");
  Node record;
  std::array<Shape, max_inputs> shapes;
  bool wants_grad = false;
  for (const Var<T>& input : inputs) {
    const Node& source = node(input);
    shapes[record.inputs] = source.value.shape;
    record.in[record.inputs] = source.value;
    record.d_in[record.inputs] = source.grad;
    record.input[record.inputs++] = input.index_;
    wants_grad = wants_grad || source.grad;
  }
  const std::span<const Shape> input_shapes(shapes.data(), record.inputs);
  const Shape shape = op.output_shape(input_shapes);
  record.value = arena_.tensor<T>(shape);
  if (wants_grad) record.grad = arena_.tensor<T>(shape);
  if constexpr (SavesForVjp<O>) record.saved = arena_.tensor<T>(op.saved_shape(input_shapes));
  record.op = std::memcpy(arena_.allocate(sizeof(O)), &op, sizeof(O));
  record.op_name = O::name;
  record.writes_fresh = writes_fresh_gradients<O>;
  record.forward = [](const void* self, const ForwardArgs<T>& args) {
    static_cast<const O*>(self)->forward(args);
  };
  record.vjp = [](const void* self, const VjpArgs<T>& args) {
    static_cast<const O*>(self)->vjp(args);
  };
  run_forward(record);
  return push(record);
}

template <class T>
template <class Look>
Var<T> Tape<T>::alias(Var<T> parent, Look&& look) {
  const Node& source = node(parent);
  Node record;
  record.value = look(source.value);
  if (source.grad) record.grad = look(source.grad);
  record.input[0] = parent.index_;
  record.inputs = 1;
  record.is_alias = true;
  record.storage = source.storage;
  record.label = source.label;
  return push(record);
}

template <class T>
const Shape& Var<T>::shape() const {
  return tape().node(*this).value.shape;
}
template <class T>
View<const T> Var<T>::value() const {
  return tape().node(*this).value;
}
template <class T>
View<const T> Var<T>::grad() const {
  return tape().node(*this).grad;
}
template <class T>
View<T> Var<T>::writable_value() const {
  return tape().node(*this).value;
}
template <class T>
Var<T> Var<T>::label(std::string_view text) const {
  tape().node(*this).label = tape_->keep(text);
  return *this;
}

extern template class Tape<float>;
extern template class Tape<double>;

}  // namespace rootdk
