#pragma once
#include <functional>
#include <string>

#include "common/matrix.hpp"

namespace rootdk {

// Which entries of a matrix are shown as "-".
using Hidden = std::function<bool(Index row, Index col)>;

// "S = [ 1 0 ]" and the rows below, columns aligned: integers where all entries are, else six
// decimals, else (all small, or one large) six digits and an exponent. Rows and columns beyond 8
// are left out in the middle.
std::string matrix_text(const std::string& label, const Matrix& matrix, const Hidden& hidden = {});

// With a fixed number of decimals, the same in every locale; never -0.
std::string fixed_text(double value, int decimals = 6);

}  // namespace rootdk
