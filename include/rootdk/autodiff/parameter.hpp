#pragma once
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "rootdk/autodiff/view.hpp"

namespace rootdk {

// A trained tensor. It owns its value and its gradient; tapes only hold views on them, so training
// and evaluation can run on tapes of their own over the same weights. Neither copied nor moved.
template <class T>
class Parameter {
 public:
  Parameter(std::string parameter_name, const Shape& parameter_shape)
      : name(std::move(parameter_name)),
        shape(parameter_shape),
        value_(static_cast<std::size_t>(shape.size())),
        grad_(static_cast<std::size_t>(shape.size())) {}
  Parameter(const Parameter&) = delete;
  Parameter& operator=(const Parameter&) = delete;

  const std::string name;
  const Shape shape;

  View<T> value() { return View<T>(value_.data(), shape); }
  View<T> grad() { return View<T>(grad_.data(), shape); }
  View<const T> value() const { return View<const T>(value_.data(), shape); }
  View<const T> grad() const { return View<const T>(grad_.data(), shape); }

 private:
  std::vector<T> value_;
  std::vector<T> grad_;
};

}  // namespace rootdk
