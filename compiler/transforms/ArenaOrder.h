//===- ArenaOrder.h - the order in which an arena's blocks are placed -------------------------===//
//
// The numeric half of ArenaLayout.h: blocks of fixed sizes, packed at several points.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace relax::transforms {

/// For each block, those that are used at the same time, in increasing order.
using Conflicts = std::vector<std::vector<uint32_t>>;

/// When a block is used, both ends included.
struct BlockTime {
  int64_t first, last;
};

Conflicts findConflicts(const std::vector<BlockTime> &times);

/// The sizes of all blocks at one point.
using BlockSizes = std::vector<int64_t>;

/// The most bytes that are used at one time: no layout needs less.
int64_t liveBytes(const std::vector<BlockTime> &times, const BlockSizes &sizes);

/// The numbers of the blocks in an order that makes the rule of ArenaLayout.h tight at all points.
std::vector<uint32_t> chooseOrder(const std::vector<BlockTime> &times, const Conflicts &conflicts,
                                  const std::vector<BlockSizes> &points);

} // namespace relax::transforms
