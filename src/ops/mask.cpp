#include "rootdk/ops/mask.hpp"

#include <array>

namespace rootdk {

void Mask::expect_fits(std::string_view op, const Shape& scores) const {
  const Index batch = scores.rank() < 3 ? 1 : scores[0];
  if (lengths && !(lengths.shape == Shape{batch} && lengths.is_contiguous())) {
    shape_error(op,
                "key lengths are one number for each of the " + std::to_string(batch) +
                    " sequences, not " + to_string(lengths.shape),
                std::array{scores});
  }
  if (!allowed) return;
  const Shape one{scores.rank() < 2 ? 1 : scores[-2], scores.cols()};
  const Shape each{batch, one[0], one[1]};
  if (!(allowed.shape == one || allowed.shape == each) || !allowed.has_contiguous_rows()) {
    shape_error(op,
                "the mask has shape " + to_string(one) + " or " + to_string(each) + ", not " +
                    to_string(allowed.shape),
                std::array{scores});
  }
}

}  // namespace rootdk
