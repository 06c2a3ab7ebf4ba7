#include "rootdk/autodiff/tape.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

namespace rootdk {
namespace {

template <class T>
struct Range {
  T low = std::numeric_limits<T>::infinity();
  T high = -std::numeric_limits<T>::infinity();
  Index not_finite = 0;
};

template <class T>
Range<T> range_of(const View<const T>& view) {
  Range<T> range;
  for_each_entry(view, [&](Index, T x) {
    if (!std::isfinite(x)) {
      ++range.not_finite;
    } else {
      range.low = std::min(range.low, x);
      range.high = std::max(range.high, x);
    }
  });
  return range;
}

template <class T>
std::string to_text(const Range<T>& range) {
  std::ostringstream text;
  if (range.low <= range.high) text << "in [" << range.low << ", " << range.high << "]";
  if (range.not_finite > 0) {
    text << (range.low <= range.high ? " and " : "") << range.not_finite << " not finite";
  }
  return text.str();
}

// Memory of a node's own is contiguous.
template <class T>
void clear(const View<T>& own) {
  std::fill_n(own.data, own.shape.size(), T(0));
}

}  // namespace

template <class T>
Var<T> Tape<T>::push(const Node& record) {
  nodes_.push_back(record);
  if (!record.is_alias) nodes_.back().storage = static_cast<std::int32_t>(nodes_.size() - 1);
  return Var<T>(this, static_cast<std::int32_t>(nodes_.size() - 1), generation_);
}

template <class T>
const typename Tape<T>::Node& Tape<T>::node(const Var<T>& var) const {
  if (var.tape_ != this) throw std::logic_error("this variable belongs to another tape");
  if (var.generation_ != generation_) {
    throw std::logic_error("this variable was recorded before the tape was rewound");
  }
  return nodes_[static_cast<std::size_t>(var.index_)];
}

template <class T>
typename Tape<T>::Node& Tape<T>::node(const Var<T>& var) {
  return const_cast<Node&>(static_cast<const Tape&>(*this).node(var));
}

template <class T>
std::string_view Tape<T>::keep(std::string_view text) {
  if (text.empty()) return {};
  auto* copy = reinterpret_cast<char*>(arena_.allocate(text.size()));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

template <class T>
Var<T> Tape<T>::leaf(View<T> value, View<T> grad, std::string_view label) {
  Node record;
  record.value = value;
  record.grad = grad;
  record.label = keep(label);
  return push(record);
}

template <class T>
Var<T> Tape<T>::constant(const Shape& shape, std::string_view label) {
  return leaf(arena_.tensor<T>(shape), View<T>(), label);
}

template <class T>
Var<T> Tape<T>::variable(const Shape& shape, std::string_view label) {
  return leaf(arena_.tensor<T>(shape), arena_.tensor<T>(shape), label);
}

template <class T>
Var<T> Tape<T>::parameter(Parameter<T>& parameter) {
  // A second leaf would be a second owner of the gradient.
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    if (nodes_[i].op == nullptr && !nodes_[i].is_alias &&
        nodes_[i].grad.data == parameter.grad().data) {
      return Var<T>(this, static_cast<std::int32_t>(i), generation_);
    }
  }
  return leaf(parameter.value(), parameter.grad(), parameter.name);
}

template <class T>
Var<T> Tape<T>::frozen(const Parameter<T>& parameter) {
  // Nodes hold mutable views; nothing writes through one that is an input and wants no gradient.
  return leaf(View<T>(const_cast<T*>(parameter.value().data), parameter.shape), View<T>(),
              parameter.name);
}

template <class T>
void Tape<T>::run_forward(const Node& record) const {
  record.forward(record.op, {{record.in.data(), record.inputs}, record.value, record.saved});
}

// Before a node adds to the gradients of its inputs: which of them it may write instead. Those that
// nothing was written to so far, seen whole, by an op that knows how, and through one input only; the
// others start from zeros. `look` maps no two indices to one element: equal sizes mean all of it.
template <class T>
std::array<bool, max_inputs> Tape<T>::open_gradients(const Node& record) {
  std::array<bool, max_inputs> fresh{};
  const auto source = [&](std::size_t i) -> Node& {
    return nodes_[static_cast<std::size_t>(record.input[i])];
  };
  for (std::size_t i = 0; i < record.inputs; ++i) {
    if (!source(i).grad) continue;
    Node& memory = nodes_[static_cast<std::size_t>(source(i).storage)];
    if (!memory.fresh) continue;
    memory.fresh = false;
    bool may_write = record.writes_fresh && source(i).grad.shape.size() == memory.grad.shape.size();
    for (std::size_t k = 0; k < record.inputs; ++k) {
      may_write = may_write && (k == i || source(k).storage != source(i).storage);
    }
    fresh[i] = may_write;
    if (!may_write) clear(memory.grad);
  }
  return fresh;
}

template <class T>
void Tape<T>::run_vjp(const Node& record) {
  const std::array<bool, max_inputs> fresh = open_gradients(record);
  record.vjp(record.op, {{record.in.data(), record.inputs},
                         record.value,
                         record.saved,
                         record.grad,
                         {record.d_in.data(), record.inputs},
                         fresh});
}

template <class T>
void Tape<T>::replay(Guard guard) {
  for (const Node& record : nodes_) {
    if (record.op != nullptr) run_forward(record);
    if (guard == Guard::on) check_forward(record);
  }
}

template <class T>
void Tape<T>::backward(Var<T> loss, Guard guard) {
  if (loss.shape().size() != 1) {
    throw std::invalid_argument("backward without a cotangent takes a scalar, not " +
                                to_string(loss.shape()));
  }
  const T one = 1;
  backward(loss, View<const T>(&one, loss.shape()), guard);
}

template <class T>
void Tape<T>::backward(Var<T> output, View<const T> cotangent, Guard guard) {
  Node& last = node(output);
  if (!last.grad)
    throw std::invalid_argument("nothing that this output depends on wants a gradient");
  if (!(cotangent.shape == last.value.shape) || !cotangent.is_contiguous()) {
    throw std::invalid_argument("the cotangent " + to_string(cotangent.shape) +
                                " must be contiguous and have the shape of the output, " +
                                to_string(last.value.shape));
  }
  for (Node& record : nodes_) {
    record.reached = false;
    record.fresh = record.grad && !record.is_alias;
  }
  Node& seeded = nodes_[static_cast<std::size_t>(last.storage)];
  if (last.is_alias) clear(seeded.grad);
  seeded.fresh = false;
  for_each_entry(last.grad, [&](Index i, T& entry) { entry = cotangent.data[i]; });
  last.reached = true;
  // Only what the loss depends on takes part: elsewhere a zero cotangent could meet an infinity.
  for (Index i = output.index_; i >= 0; --i) {
    Node& record = nodes_[static_cast<std::size_t>(i)];
    if (!record.reached || !record.grad) continue;
    for (std::size_t k = 0; k < record.inputs; ++k) {
      nodes_[static_cast<std::size_t>(record.input[k])].reached = true;
    }
    if (record.op != nullptr) run_vjp(record);
    if (guard == Guard::on) check_vjp(record);
  }
  for (Node& record : nodes_) {
    if (record.fresh) clear(record.grad);
    record.fresh = false;
  }
}

template <class T>
void Tape<T>::spoil_gradients() {
  for (const Node& record : nodes_) {
    if (!record.grad || record.is_alias) continue;
    std::fill_n(record.grad.data, record.grad.shape.size(), std::numeric_limits<T>::quiet_NaN());
  }
}

template <class T>
void Tape<T>::rewind() {
  nodes_.clear();
  arena_.rewind();
  ++generation_;
}

template <class T>
std::string Tape<T>::describe(const Node& record) const {
  std::string text(record.op != nullptr ? record.op_name : record.is_alias ? "view" : "input");
  if (!record.label.empty()) text += " '" + std::string(record.label) + "'";
  return text + " " + to_string(record.value.shape);
}

template <class T>
void Tape<T>::check_forward(const Node& record) const {
  const Range<T> found = range_of<T>(record.value);
  if (found.not_finite == 0) return;
  std::string text = describe(record) + " is not finite in the forward pass: " + to_text(found);
  for (std::size_t i = 0; i < record.inputs; ++i) {
    const Node& source = nodes_[static_cast<std::size_t>(record.input[i])];
    text += "; its input " + describe(source) + " is " + to_text(range_of<T>(source.value));
  }
  throw NonFinite(text);
}

template <class T>
void Tape<T>::check_vjp(const Node& record) const {
  for (std::size_t i = 0; i < record.inputs; ++i) {
    const Node& source = nodes_[static_cast<std::size_t>(record.input[i])];
    if (!source.grad) continue;
    const Range<T> found = range_of<T>(source.grad);
    if (found.not_finite == 0) continue;
    throw NonFinite(describe(record) + " gives its input " + describe(source) +
                    " a gradient that is not finite: " + to_text(found) + "; the cotangent is " +
                    to_text(range_of<T>(record.grad)) + ", the input " +
                    to_text(range_of<T>(source.value)));
  }
}

template class Tape<float>;
template class Tape<double>;

}  // namespace rootdk
