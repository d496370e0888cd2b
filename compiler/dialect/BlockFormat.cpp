//===- BlockFormat.cpp - the table of weight formats ------------------------------------------===//
#include "compiler/dialect/BlockFormat.h"

#include "llvm/ADT/STLExtras.h"

namespace relax::ir {

//   name, GGUF type, block, bytes, bits, min, offset, scale at, min at, high bits at, values at
static constexpr BlockFormat formats[] = {
    {"f32", 0, 1, 4, 32, false, 0, -1, -1, -1, 0},  {"f16", 1, 1, 2, 16, false, 0, -1, -1, -1, 0},
    {"q4_0", 2, 32, 18, 4, false, 8, 0, -1, -1, 2}, {"q4_1", 3, 32, 20, 4, true, 0, 0, 2, -1, 4},
    {"q5_0", 6, 32, 22, 5, false, 16, 0, -1, 2, 6}, {"q5_1", 7, 32, 24, 5, true, 0, 0, 2, 4, 8},
    {"q8_0", 8, 32, 34, 8, false, 0, 0, -1, -1, 2}, {"bf16", 30, 1, 2, 16, false, 0, -1, -1, -1, 0},
};

llvm::ArrayRef<BlockFormat> blockFormats() { return formats; }

const BlockFormat *findBlockFormat(llvm::StringRef name) {
  const auto *it =
      llvm::find_if(formats, [&](const BlockFormat &format) { return format.name == name; });
  return it == std::end(formats) ? nullptr : it;
}

const BlockFormat *findBlockFormat(uint32_t ggufType) {
  const auto *it = llvm::find_if(
      formats, [&](const BlockFormat &format) { return format.ggufType == ggufType; });
  return it == std::end(formats) ? nullptr : it;
}

std::string blockFormatNames() {
  std::string names;
  for (const BlockFormat &format : formats)
    names += (names.empty() ? "" : ", ") + format.name.str();
  return names;
}

} // namespace relax::ir
