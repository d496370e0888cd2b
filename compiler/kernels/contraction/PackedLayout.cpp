#include "compiler/kernels/contraction/PackedLayout.h"

namespace relax::kernels {
namespace {

PackedLayout quantized(llvm::StringRef format, int64_t bits, bool hasMin, int64_t offset) {
  PackedLayout layout{};
  layout.format = format;
  layout.element = PackedLayout::Element::Quantized;
  layout.unitColumns = 32;
  layout.bits = bits;
  layout.hasMin = hasMin;
  layout.offset = offset;

  int64_t scaleBytes = hasMin ? 4 : 2;
  layout.sourceHighBits = scaleBytes;
  layout.sourceQuants = scaleBytes + (bits == 5 ? 4 : 0);
  layout.sourceBytes = layout.sourceQuants + layout.numQuads() * PackedLayout::quad;

  int64_t rows = PackedLayout::rows;
  layout.minOffset = 2 * rows;
  layout.highOffset = scaleBytes * rows;
  layout.quadOffset = layout.highOffset + (bits == 5 ? 4 * rows : 0);
  layout.unitBytes = layout.quadOffset + layout.numQuads() * PackedLayout::quad * rows;
  return layout;
}

PackedLayout floating(llvm::StringRef format, PackedLayout::Element element, int64_t bits) {
  PackedLayout layout{};
  layout.format = format;
  layout.element = element;
  layout.unitColumns = 1;
  layout.bits = bits;
  layout.sourceBytes = bits / 8;
  layout.unitBytes = PackedLayout::rows * layout.sourceBytes;
  return layout;
}

} // namespace

std::optional<PackedLayout> packedLayout(llvm::StringRef format) {
  using Element = PackedLayout::Element;
  for (const PackedLayout &layout :
       {quantized("q4_0", 4, false, 8), quantized("q4_1", 4, true, 0),
        quantized("q5_0", 5, false, 16), quantized("q5_1", 5, true, 0),
        quantized("q8_0", 8, false, 0), floating("f32", Element::F32, 32),
        floating("f16", Element::F16, 16), floating("bf16", Element::BF16, 16)})
    if (layout.format == format)
      return layout;
  return std::nullopt;
}

} // namespace relax::kernels
