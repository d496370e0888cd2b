//===- Types.cpp - types of the dialect, and symbolic shapes of builtin tensors ---------------===//
#include "compiler/dialect/Lattice.h"
#include "compiler/symbolic/Solve.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_TYPEDEF_CLASSES
#include "compiler/dialect/Types.cpp.inc"
#pragma GCC diagnostic pop

namespace relax::ir {

void RelaxDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "compiler/dialect/Types.cpp.inc"
      >();
}

Type ShapeType::parse(AsmParser &parser) {
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("rank"))) {
    SMLoc loc = parser.getCurrentLocation();
    int64_t rank = 0;
    if (parser.parseInteger(rank) || parser.parseGreater())
      return {};
    if (rank < 0 || rank > maxShapeRank) {
      parser.emitError(loc) << "a rank is from 0 to " << maxShapeRank << ", found " << rank;
      return {};
    }
    return ShapeType::get(parser.getContext(), rank);
  }
  if (succeeded(parser.parseOptionalStar()))
    return parser.parseGreater() ? Type() : ShapeType::get(parser.getContext(), unknownRank);
  SmallVector<symbolic::Expr> dims;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&]() -> ParseResult {
                                       if (succeeded(parser.parseOptionalQuestion())) {
                                         dims.push_back({});
                                         return success();
                                       }
                                       FailureOr<symbolic::Expr> dim = parseExpr(parser);
                                       if (failed(dim))
                                         return failure();
                                       dims.push_back(*dim);
                                       return success();
                                     }) ||
      parser.parseGreater())
    return {};
  return ShapeType::get(parser.getContext(), dims);
}

void ShapeType::print(AsmPrinter &printer) const {
  if (!hasRank()) {
    printer << "<*>";
    return;
  }
  if (getDims().empty() && getRank() != 0) {
    printer << "<rank " << getRank() << ">";
    return;
  }
  printer << "<[";
  llvm::interleaveComma(getDims(), printer, [&](symbolic::Expr dim) { printExpr(printer, dim); });
  printer << "]>";
}

//===------------------------------------------------------------------------------------------===//
// Symbolic shapes of builtin tensors
//===------------------------------------------------------------------------------------------===//

RankedTensorType tensorType(MLIRContext *context, ArrayRef<symbolic::Expr> given,
                            Type elementType) {
  SmallVector<symbolic::Expr> dims(given);
  SmallVector<int64_t> sizes;
  bool anySymbolic = false;
  for (symbolic::Expr &dim : dims) {
    if (dim && symbolic::isTooLarge(dim))
      dim = {};
    bool constant = dim && dim.isConstant();
    // A negative size can't be in a type; whoever verifies finds it in the shape.
    bool fits = constant && dim.constantValue() >= 0;
    sizes.push_back(fits ? dim.constantValue() : ShapedType::kDynamic);
    anySymbolic |= dim && !fits;
  }
  return RankedTensorType::get(sizes, elementType,
                               anySymbolic ? ShapeAttr::get(context, dims) : ShapeAttr());
}

ArrayRef<symbolic::Expr> shapeOf(RankedTensorType type) {
  if (auto shape = dyn_cast_or_null<ShapeAttr>(type.getEncoding()))
    return shape.getDims();
  symbolic::Context &context = symbolicContext(type.getContext());
  SmallVector<symbolic::Expr> dims;
  for (int64_t size : type.getShape())
    dims.push_back(ShapedType::isDynamic(size) ? symbolic::Expr() : context.constant(size));
  // Held by the uniqued attribute, so that a reference to it stays valid.
  return ShapeAttr::get(type.getContext(), dims).getDims();
}

std::string shapeText(ArrayRef<symbolic::Expr> dims) {
  std::string text = "[";
  for (auto [index, dim] : llvm::enumerate(dims)) {
    text += index ? ", " : "";
    text += dim ? dim.str() : "?";
  }
  return text + "]";
}

std::string shapeText(Type type) {
  if (auto ranked = dyn_cast<RankedTensorType>(type))
    return shapeText(shapeOf(ranked));
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Type signless(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return IntegerType::get(type.getContext(), integer.getWidth());
  if (auto tensor = dyn_cast<TensorType>(type))
    return tensor.clone(signless(tensor.getElementType()));
  if (auto tuple = dyn_cast<TupleType>(type))
    return TupleType::get(type.getContext(), llvm::map_to_vector(tuple.getTypes(), signless));
  return type;
}

symbolic::Expr elementCount(MLIRContext *context, ArrayRef<symbolic::Expr> dims) {
  symbolic::Context &symbols = symbolicContext(context);
  symbolic::Expr count = symbols.constant(1);
  for (symbolic::Expr dim : dims) {
    if (!dim)
      return {};
    count = symbols.mul(count, dim);
  }
  return count;
}

} // namespace relax::ir
