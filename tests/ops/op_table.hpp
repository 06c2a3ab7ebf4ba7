#pragma once
// The table of all ops that every gradient proof runs over. A new op is one row; an op in
// include/rootdk/ops without a row fails the suite.
#include <functional>
#include <string>
#include <vector>

#include "rootdk/autodiff/gradcheck.hpp"

struct OpCase {
  std::string op;       // Op::name
  std::string variant;  // what is special about this row
  std::function<rootdk::GradcheckReport(std::uint64_t seed)> gradcheck;
  // The largest difference of values and gradients in float from those in double, relative to the
  // largest entry.
  std::function<double(std::uint64_t seed)> float_error;
};

const std::vector<OpCase>& op_table();

// Names of ops in the headers of a folder that no row of the table covers.
std::vector<std::string> ops_without_a_row(const std::string& folder,
                                           const std::vector<OpCase>& table);
