//===- SuperBlocks.h - what the 256 numbers of a K-quant's block are --------------------------===//
//
// Written down once more, independently of the compiler's records, by the loops in which these
// formats are usually explained.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <string>

namespace relax::test {

/// d * scale * (q - offset) - minimum.
struct SuperBlockElement {
  double scale; ///< d times the group's integer.
  double q;     ///< With its offset, or looked up.
  double offset;
  double minimum;
};

/// Where a block of the format has its float16s: scale, and minimum or -1.
struct SuperBlockHalves {
  int scale, minimum;
};
SuperBlockHalves superBlockHalves(const std::string &format);

SuperBlockElement superBlockElement(const std::string &format, const uint8_t *block, int index);

} // namespace relax::test
