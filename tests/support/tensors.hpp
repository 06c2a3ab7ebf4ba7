#pragma once
// Small helpers to put numbers on a tape and to read them back.
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "rootdk/autodiff/tape.hpp"
#include "rootdk/random.hpp"

// Entries of a strided view in row-major order.
template <class T>
std::vector<std::remove_const_t<T>> values(const rootdk::View<T>& view) {
  std::vector<std::remove_const_t<T>> result;
  rootdk::for_each_entry(view, [&](rootdk::Index, const T& entry) { result.push_back(entry); });
  return result;
}

template <class T>
void write(const rootdk::Var<T>& var, std::initializer_list<double> numbers) {
  if (static_cast<rootdk::Index>(numbers.size()) != var.shape().size()) {
    throw std::invalid_argument("as many numbers as entries");
  }
  std::transform(numbers.begin(), numbers.end(), var.writable_value().data,
                 [](double number) { return static_cast<T>(number); });
}

template <class T>
void write(const rootdk::Var<T>& var, const std::vector<double>& numbers) {
  std::transform(numbers.begin(), numbers.end(), var.writable_value().data,
                 [](double number) { return static_cast<T>(number); });
}

// A variable of independent N(0, 1) entries; float entries are the double ones, rounded.
template <class T>
rootdk::Var<T> normal(rootdk::Tape<T>& tape, const rootdk::Shape& shape, std::uint64_t seed,
                      double standard_deviation = 1) {
  const auto var = tape.variable(shape);
  rootdk::Stream stream(rootdk::StreamKey(seed, "test"));
  for (rootdk::Index i = 0; i < shape.size(); ++i) {
    var.writable_value().data[i] = static_cast<T>(standard_deviation * stream.normal());
  }
  return var;
}
