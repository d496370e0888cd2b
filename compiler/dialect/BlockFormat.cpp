//===- BlockFormat.cpp - the formats that are built in, and those that a user adds ------------===//
#include "compiler/dialect/BlockFormat.h"

#include "compiler/dialect/BlockFormatReader.h"
#include "compiler/dialect/Dialect.h"

#include "mlir/IR/DialectInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <deque>

using namespace mlir;

namespace relax::ir {
namespace {

struct Source {
  llvm::StringLiteral name, text;
};
constexpr Source sources[] = {
#include "compiler/dialect/BlockFormats.inc"
};

/// The built-in formats. They are read once, in a context of their own: records don't refer to it.
struct BuiltIn {
  std::vector<BlockFormat> formats;

  BuiltIn() {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    for (const Source &source : sources) {
      FailureOr<BlockFormat> format = readBlockFormat(&context, source.name, source.text);
      if (failed(format))
        llvm::report_fatal_error("the built-in weight format " + source.name + " is wrong");
      formats.push_back(std::move(*format));
    }
  }
};

const BuiltIn &builtIn() {
  static const BuiltIn instance;
  return instance;
}

/// What a context's user added. A deque: addresses stay.
struct AddedFormats : DialectInterface::Base<AddedFormats> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AddedFormats)
  explicit AddedFormats(Dialect *dialect) : Base(dialect) {}
  std::deque<BlockFormat> formats;
};

const BlockFormat *findIn(const auto &formats, llvm::StringRef name) {
  for (const BlockFormat &format : formats)
    if (format.name == name)
      return &format;
  return nullptr;
}

} // namespace

int64_t IntegerField::bits() const {
  int64_t total = 0;
  for (const BitPlane &plane : planes)
    total += plane.bits;
  return total;
}

int64_t IntegerField::raw(const uint8_t *block, int64_t index) const {
  int64_t result = 0, shift = 0;
  auto j = static_cast<size_t>(index);
  for (const BitPlane &plane : planes) {
    int64_t field = block[plane.byteOf[j]] >> plane.bitOf[j] & ((1 << plane.bits) - 1);
    result |= field << shift;
    shift += plane.bits;
  }
  return isSigned && shift > 0 && (result >> (shift - 1) & 1) ? result - (int64_t(1) << shift)
                                                              : result;
}

int64_t IntegerField::value(const uint8_t *block, int64_t index) const {
  int64_t q = raw(block, index);
  return (codebook.empty() ? q : codebook[static_cast<size_t>(q)]) - offset;
}

int64_t BlockFormat::packedHeaderBytes() const {
  return isPlain() ? 0 : packedRows * (hasMinimum() ? 4 : 2);
}

int64_t BlockFormat::packedUnitBytes() const {
  if (isPlain())
    return packedRows * unitElements * bytesPerBlock;
  int64_t integers = (scales.exists() ? 1 : 0) + (minimums.exists() ? 1 : 0);
  return packedRows * (integers * groupsPerUnit() + unitElements * quants.bits() / 8);
}

int64_t BlockFormat::packedBytes(int64_t elements) const {
  if (isPlain())
    return elements / unitElements * packedUnitBytes();
  return elements / blockSize * (packedHeaderBytes() + unitsPerBlock() * packedUnitBytes());
}

llvm::ArrayRef<BlockFormat> blockFormats() { return builtIn().formats; }

const BlockFormat *findBlockFormat(MLIRContext *context, llvm::StringRef name) {
  if (const BlockFormat *format = findIn(builtIn().formats, name))
    return format;
  Dialect *dialect = context->getLoadedDialect<RelaxDialect>();
  const auto *added = dialect ? dialect->getRegisteredInterface<AddedFormats>() : nullptr;
  return added ? findIn(added->formats, name) : nullptr;
}

std::string blockFormatNames() {
  std::string names;
  for (const BlockFormat &format : blockFormats())
    names += (names.empty() ? "" : ", ") + format.name;
  return names;
}

LogicalResult addBlockFormat(MLIRContext *context, llvm::StringRef name, llvm::StringRef text) {
  Location loc = UnknownLoc::get(context);
  if (findBlockFormat(context, name))
    return emitError(loc) << "there is a weight format \"" << name << "\" already";
  FailureOr<BlockFormat> format = readBlockFormat(context, name, text);
  if (failed(format))
    return failure();
  Dialect *dialect = context->getOrLoadDialect<RelaxDialect>();
  if (!dialect->getRegisteredInterface<AddedFormats>())
    dialect->addInterfaces<AddedFormats>();
  // Interfaces are handed out as constant, but belong to the context, which the caller owns.
  const auto *added = dialect->getRegisteredInterface<AddedFormats>();
  const_cast<AddedFormats *>(added)->formats.push_back(std::move(*format));
  return success();
}

LogicalResult addBlockFormatFile(MLIRContext *context, llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return emitError(UnknownLoc::get(context))
           << path << ": the weight format can't be read: " << file.getError().message();
  return addBlockFormat(context, llvm::sys::path::stem(path), (*file)->getBuffer());
}

} // namespace relax::ir
