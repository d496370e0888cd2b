#include "compiler/kernels/contraction/PackedLayout.h"

namespace relax::kernels {

/// Planes of powers of two that make up `bits`, the highest first.
static std::vector<PackedLayout::Plane> splitBits(int64_t bits) {
  std::vector<PackedLayout::Plane> planes;
  int64_t base = 0;
  for (int64_t size : {8, 4, 2, 1})
    if (bits & size) {
      planes.insert(planes.begin(), {size, base, 0});
      base += size;
    }
  return planes;
}

PackedLayout packedLayout(const ir::BlockFormat &format) {
  PackedLayout layout{};
  layout.format = &format;
  if (format.isPlain()) {
    layout.unitColumns = 1;
    layout.unitsPerBlock = 1;
    layout.unitBytes = layout.blockBytes = PackedLayout::rows * format.bytesPerBlock;
    return layout;
  }
  layout.unitColumns = ir::BlockFormat::unitElements;
  layout.unitsPerBlock = format.unitsPerBlock();
  layout.minimumOffset = 2 * PackedLayout::rows;
  layout.headerBytes = format.packedHeaderBytes();
  layout.unitBytes = format.packedUnitBytes();
  layout.blockBytes = layout.headerBytes + layout.unitsPerBlock * layout.unitBytes;
  int64_t integers = PackedLayout::rows * layout.groups();
  layout.integerMinimumOffset = format.scales.exists() ? integers : 0;
  int64_t at = layout.integerMinimumOffset + (format.minimums.exists() ? integers : 0);
  layout.planes = splitBits(layout.bits());
  for (PackedLayout::Plane &plane : layout.planes) {
    plane.offset = at;
    at += plane.bits * PackedLayout::quad * PackedLayout::rows;
  }
  return layout;
}

PackedLayout splitLayout(const ir::BlockFormat &format) {
  PackedLayout layout = packedLayout(format);
  constexpr int64_t halfBytes = 4 * PackedLayout::quad * PackedLayout::rows;
  layout.isSplit = true;
  layout.planes = {{4, 4, 0, /*isLow=*/false}, {4, 0, 0, /*isLow=*/true}};
  layout.unitBytes = layout.lowUnitBytes = halfBytes;
  layout.blockBytes = layout.headerBytes + halfBytes;
  return layout;
}

PackedLayout highLayout(const PackedLayout &split) {
  static const ir::BlockFormat format = [] {
    ir::BlockFormat high;
    high.name = "high halves";
    high.blockSize = ir::BlockFormat::unitElements;
    high.bytesPerBlock = 2 + high.blockSize / 2;
    high.quants.planes.push_back({4, "", {}, {}});
    high.quants.offset = 8;
    high.scaleOffset = 0;
    return high;
  }();
  PackedLayout layout = split;
  layout.format = &format;
  layout.isSplit = false;
  layout.lowUnitBytes = 0;
  layout.planes = {{4, 0, 0, /*isLow=*/false}};
  return layout;
}

} // namespace relax::kernels
