#include "compiler/dialect/BlockFormatReader.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace relax::ir {
namespace {

constexpr int64_t most = 65536; ///< Elements and bytes of a block.

/// Reads one record; the first error stands.
class Reader {
public:
  Reader(MLIRContext *context, StringRef name) : context(context), name(name) {}

  FailureOr<BlockFormat> read(StringRef text) {
    // The text may begin with comments, which the attribute parser doesn't skip.
    StringRef body = text;
    while ((body = body.ltrim()).starts_with("//"))
      body = body.drop_until([](char c) { return c == '\n'; });
    Attribute parsed = parseAttribute(body.rtrim(), context);
    auto record = dyn_cast_or_null<DictionaryAttr>(parsed);
    if (!record)
      return error("the record", "no dictionary", "{elements = …, bytes = …, quants = {…}, …}");
    BlockFormat format;
    format.name = name.str();
    if (Attribute element = record.get("element"))
      return readPlain(format, record, element);
    return readBlocks(format, record);
  }

private:
  LogicalResult error(const Twine &key, const Twine &found, const Twine &expected) {
    return emitError(UnknownLoc::get(context))
           << "weight format \"" << name << "\": " << key.str() << ": found " << found.str()
           << ", expected " << expected.str();
  }

  FailureOr<BlockFormat> readPlain(BlockFormat &format, DictionaryAttr record, Attribute element) {
    auto type = dyn_cast<TypeAttr>(element);
    using Element = BlockFormat::Element;
    format.element = !type                      ? Element::Blocks
                     : type.getValue().isF32()  ? Element::F32
                     : type.getValue().isF16()  ? Element::F16
                     : type.getValue().isBF16() ? Element::BF16
                                                : Element::Blocks;
    if (!format.isPlain() || record.size() != 1)
      return error("element", "another type or further keys", "f32, f16 or bf16 alone");
    format.bytesPerBlock = format.element == Element::F32 ? 4 : 2;
    return format;
  }

  LogicalResult integer(DictionaryAttr record, StringRef key, int64_t least, int64_t largest,
                        int64_t &value) {
    Attribute found = record.get(key);
    auto number = dyn_cast_or_null<IntegerAttr>(found);
    std::string expected = ("an integer from " + Twine(least) + " to " + Twine(largest)).str();
    if (!number || !number.getType().isSignlessInteger(64))
      return error(key, found ? "something else" : "nothing", expected);
    value = number.getInt();
    if (value < least || value > largest)
      return error(key, Twine(value), expected);
    return success();
  }

  LogicalResult onlyKeys(StringRef where, DictionaryAttr record, ArrayRef<StringRef> known) {
    for (NamedAttribute entry : record)
      if (!llvm::is_contained(known, entry.getName().getValue()))
        return error(where, "the key '" + entry.getName().getValue() + "'",
                     "only " + llvm::join(known, ", "));
    return success();
  }

  FailureOr<BlockFormat> readBlocks(BlockFormat &format, DictionaryAttr record) {
    if (failed(onlyKeys("the record", record,
                        {"elements", "bytes", "quants", "scale", "minimum", "subtract_minimum",
                         "group", "scales", "minimums"})) ||
        failed(integer(record, "elements", 32, most, format.blockSize)) ||
        failed(integer(record, "bytes", 2, most, format.bytesPerBlock)) ||
        failed(integer(record, "scale", 0, format.bytesPerBlock - 2, format.scaleOffset)))
      return failure();
    if (format.blockSize % 32 != 0)
      return error("elements", Twine(format.blockSize), "a multiple of 32");
    if (record.contains("minimum") &&
        failed(integer(record, "minimum", 0, format.bytesPerBlock - 2, format.minimumOffset)))
      return failure();
    format.subtractsMinimum = record.contains("subtract_minimum");
    if (record.contains("group") && failed(integer(record, "group", 16, 32, format.group)))
      return failure();
    if (format.group != 16 && format.group != 32)
      return error("group", Twine(format.group), "16 or 32");
    if (!record.contains("quants"))
      return error("quants", "nothing", "a field");
    int64_t groups = format.blockSize / format.group;
    if (failed(field(format, record, "quants", format.blockSize, format.quants)) ||
        failed(field(format, record, "scales", groups, format.scales)) ||
        failed(field(format, record, "minimums", groups, format.minimums)))
      return failure();
    return check(format);
  }

  LogicalResult field(const BlockFormat &format, DictionaryAttr record, StringRef key,
                      int64_t count, IntegerField &result) {
    if (!record.contains(key))
      return success();
    auto entries = dyn_cast<DictionaryAttr>(record.get(key));
    auto planes = entries ? entries.getAs<ArrayAttr>("planes") : ArrayAttr();
    if (!planes || planes.empty())
      return error(key, "no list 'planes'", "{planes = [{bits = …, at = affine_map<…>}, …]}");
    if (failed(onlyKeys(key, entries, {"planes", "signed", "offset", "codebook"})))
      return failure();
    for (Attribute plane : planes)
      if (failed(readPlane(format, key, plane, count, result)))
        return failure();
    result.isSigned = entries.contains("signed");
    if (entries.contains("offset") && failed(integer(entries, "offset", 0, 128, result.offset)))
      return failure();
    if (auto codebook = entries.getAs<ArrayAttr>("codebook"))
      for (Attribute entry : codebook)
        result.codebook.push_back(isa<IntegerAttr>(entry) ? cast<IntegerAttr>(entry).getInt()
                                                          : most);
    return success();
  }

  LogicalResult readPlane(const BlockFormat &format, StringRef key, Attribute attribute,
                          int64_t count, IntegerField &result) {
    auto entries = dyn_cast<DictionaryAttr>(attribute);
    auto at = entries ? entries.getAs<AffineMapAttr>("at") : AffineMapAttr();
    if (!at || at.getValue().getNumInputs() != 1 || at.getValue().getNumDims() != 1 ||
        at.getValue().getNumResults() != 2)
      return error(key, "a plane without a map of one dimension to two results",
                   "{bits = 4, at = affine_map<(j) -> (byte, bit)>}");
    BitPlane plane;
    if (failed(onlyKeys(key, entries, {"bits", "at"})) ||
        failed(integer(entries, "bits", 1, 8, plane.bits)))
      return failure();
    llvm::raw_string_ostream(plane.map) << at;
    Type index = IndexType::get(context);
    for (int64_t j = 0; j < count; ++j) {
      SmallVector<Attribute> place;
      if (failed(at.getValue().constantFold({IntegerAttr::get(index, j)}, place)))
        return error(key, "a map without a value", "one that has a value for every index");
      int64_t byte = cast<IntegerAttr>(place[0]).getInt(),
              bit = cast<IntegerAttr>(place[1]).getInt();
      if (byte < 0 || byte >= format.bytesPerBlock || bit < 0 || bit + plane.bits > 8)
        return error(key, "byte " + Twine(byte) + ", bit " + Twine(bit) + " for index " + Twine(j),
                     Twine(plane.bits) + " bits inside one of the " + Twine(format.bytesPerBlock) +
                         " bytes of a block");
      plane.byteOf.push_back(byte);
      plane.bitOf.push_back(bit);
    }
    result.planes.push_back(std::move(plane));
    return success();
  }

  /// What kernels rely on.
  FailureOr<BlockFormat> check(BlockFormat &format) {
    if (format.quants.bits() > 8)
      return error("quants", Twine(format.quants.bits()) + " bits", "at most 8");
    if (format.quants.isSigned && (format.quants.bits() != 8 || format.quants.offset != 0))
      return error("quants", "signed numbers of other than 8 bits or with an offset",
                   "8 bits without an offset");
    if (format.quants.bits() > 6 && !format.quants.isSigned)
      return error("quants", "7 or 8 bits without a sign", "at most 6, or 8 with a sign");
    if (!format.quants.codebook.empty()) {
      if (format.quants.bits() != 4 || format.quants.codebook.size() != 16 ||
          format.quants.offset != 0 || format.quants.isSigned)
        return error("codebook", Twine(format.quants.codebook.size()) + " entries",
                     "16 for 4 unsigned bits without an offset");
      for (int64_t entry : format.quants.codebook)
        if (entry < -127 || entry > 127)
          return error("codebook", Twine(entry), "numbers from -127 to 127");
    }
    for (const BitPlane &plane : format.quants.planes)
      if (failed(checkUnits(plane)))
        return failure();
    for (auto [key, field] :
         {std::pair("scales", &format.scales), {"minimums", &format.minimums}}) {
      if (!field->exists())
        continue;
      int64_t largest = (int64_t(1) << field->bits()) - 1;
      bool fits = field->isSigned ? field->bits() <= 8 : largest - field->offset <= 127;
      if (field->bits() > 8 || !fits || !field->codebook.empty())
        return error(key, "integers of more than 8 bits with a sign, or a codebook",
                     "integers from -128 to 127");
    }
    if (format.minimums.exists() && (!format.hasMinimum() || !format.scales.exists()))
      return error("minimums", "no minimum or no scales", "both 'minimum' and 'scales' beside it");
    if (format.scales.exists() && format.hasMinimum() && !format.minimums.exists())
      return error("scales", "a minimum without 'minimums'", "both or neither");
    if (format.blockSize != 32 && !format.scales.exists())
      return error("elements", Twine(format.blockSize), "32 in a format without 'scales'");
    if (!format.scales.exists() && format.group != 32)
      return error("group", Twine(format.group), "32 in a format without 'scales'");
    return format;
  }

  /// Every 32 elements lie as the first 32 do.
  LogicalResult checkUnits(const BitPlane &plane) {
    for (size_t j = 0; j < plane.byteOf.size(); ++j) {
      size_t first = j / 32 * 32;
      if (plane.byteOf[j] - plane.byteOf[first] != plane.byteOf[j % 32] - plane.byteOf[0] ||
          plane.bitOf[j] - plane.bitOf[first] != plane.bitOf[j % 32] - plane.bitOf[0])
        return error("quants",
                     "element " + Twine(j) + " elsewhere than its place among the first 32",
                     "every 32 elements laid out alike");
    }
    return success();
  }

  MLIRContext *context;
  StringRef name;
};

} // namespace

FailureOr<BlockFormat> readBlockFormat(MLIRContext *context, StringRef name, StringRef text) {
  return Reader(context, name).read(text);
}

} // namespace relax::ir
