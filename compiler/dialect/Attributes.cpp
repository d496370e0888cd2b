//===- Attributes.cpp - text and checks of the dialect's attributes ---------------------------===//
#include "compiler/dialect/Dialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_ATTRDEF_CLASSES
#include "compiler/dialect/Attributes.cpp.inc"
#pragma GCC diagnostic pop

namespace relax::ir {

void RelaxDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "compiler/dialect/Attributes.cpp.inc"
      >();
}

//===------------------------------------------------------------------------------------------===//
// #relax.shape and #relax.expr
//===------------------------------------------------------------------------------------------===//

Attribute ShapeAttr::parse(AsmParser &parser, Type) {
  SmallVector<symbolic::Expr> dims;
  auto parseDim = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalQuestion())) {
      dims.push_back({});
      return success();
    }
    FailureOr<symbolic::Expr> expr = parseExpr(parser);
    if (failed(expr))
      return failure();
    dims.push_back(*expr);
    return success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseDim) ||
      parser.parseGreater())
    return {};
  return ShapeAttr::get(parser.getContext(), dims);
}

void ShapeAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getDims(), printer, [&](symbolic::Expr dim) { printExpr(printer, dim); });
  printer << "]>";
}

LogicalResult ShapeAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                        function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getDims().size())
    return emitError() << "the shape " << shapeText(getDims()) << " has " << getDims().size()
                       << " dimensions, the tensor has " << shape.size();
  bool anySymbolic = false;
  for (auto [index, size, dim] : llvm::enumerate(shape, getDims())) {
    bool constant = dim && dim.isConstant();
    anySymbolic |= dim && !constant;
    if (constant != ShapedType::isStatic(size) || (constant && dim.constantValue() != size)) {
      InFlightDiagnostic error = emitError() << "dimension " << index << " is ";
      if (ShapedType::isStatic(size))
        error << size;
      else
        error << "dynamic";
      return error << " in the tensor, but " << (dim ? dim.str() : "unknown") << " in its shape "
                   << shapeText(getDims()) << "; a dimension is static exactly if its expression "
                   << "is constant";
    }
  }
  if (!anySymbolic)
    return emitError() << "the shape " << shapeText(getDims())
                       << " has no symbols, so the tensor must not repeat it";
  return success();
}

Attribute ExprAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<symbolic::Expr> expr = parseExpr(parser);
  if (failed(expr) || parser.parseGreater())
    return {};
  return ExprAttr::get(parser.getContext(), *expr);
}

void ExprAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printExpr(printer, getExpr());
  printer << ">";
}

//===------------------------------------------------------------------------------------------===//
// #relax.symbols
//===------------------------------------------------------------------------------------------===//

static ParseResult parseDeclaration(AsmParser &parser, SymbolDeclaration &declaration) {
  StringRef name;
  if (parser.parseKeyword(&name) || parser.parseEqual() || parser.parseLSquare())
    return failure();
  declaration.name = StringAttr::get(parser.getContext(), name);
  if (succeeded(parser.parseOptionalQuestion()))
    declaration.lo = INT64_MIN;
  else if (parser.parseInteger(declaration.lo))
    return failure();
  if (parser.parseComma())
    return failure();
  if (failed(parser.parseOptionalQuestion())) {
    int64_t hi = 0;
    if (parser.parseInteger(hi))
      return failure();
    declaration.hi = hi;
  }
  if (parser.parseRSquare())
    return failure();
  if (succeeded(parser.parseOptionalKeyword("divisor")))
    return parser.parseInteger(declaration.divisor);
  return success();
}

Attribute SymbolsAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  SmallVector<SymbolDeclaration> declarations;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] {
        return parseDeclaration(parser, declarations.emplace_back());
      }))
    return {};
  return SymbolsAttr::getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                                 declarations);
}

void SymbolsAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::interleaveComma(getDeclarations(), printer, [&](const SymbolDeclaration &declaration) {
    printer << declaration.name.getValue() << " = [";
    if (declaration.lo == INT64_MIN)
      printer << "?";
    else
      printer << declaration.lo;
    printer << ", ";
    if (declaration.hi)
      printer << *declaration.hi;
    else
      printer << "?";
    printer << "]";
    if (declaration.divisor != 1)
      printer << " divisor " << declaration.divisor;
  });
  printer << ">";
}

LogicalResult SymbolsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<SymbolDeclaration> declarations) {
  llvm::StringSet<> seen;
  for (const SymbolDeclaration &declaration : declarations) {
    StringRef name = declaration.name.getValue();
    if (!symbolic::Context::isSymbolName(std::string_view(name)))
      return emitError() << "[R1] '" << name << "' cannot be the name of a symbol";
    if (!seen.insert(name).second)
      return emitError() << "[R1] the symbol '" << name << "' is declared twice";
    if (declaration.hi && declaration.lo > *declaration.hi)
      return emitError() << "[R1] the symbol '" << name << "' has an empty range ["
                         << declaration.lo << ", " << *declaration.hi << "]";
    if (declaration.divisor < 1)
      return emitError() << "[R1] the divisor of the symbol '" << name
                         << "' must be positive, found " << declaration.divisor;
  }
  return success();
}

const SymbolDeclaration *SymbolsAttr::find(StringRef name) const {
  auto it = llvm::find_if(getDeclarations(), [&](const SymbolDeclaration &declaration) {
    return declaration.name.getValue() == name;
  });
  return it == getDeclarations().end() ? nullptr : &*it;
}

symbolic::Facts SymbolsAttr::toFacts() const {
  symbolic::Facts facts;
  for (const SymbolDeclaration &declaration : getDeclarations())
    facts.set(std::string_view(declaration.name.getValue()),
              {declaration.lo, declaration.hi, declaration.divisor});
  return facts;
}

//===------------------------------------------------------------------------------------------===//
// #relax.target
//===------------------------------------------------------------------------------------------===//

Attribute TargetAttr::parse(AsmParser &parser, Type) {
  SMLoc loc = parser.getCurrentLocation();
  std::string name;
  SmallVector<StringAttr> features;
  unsigned vectorBits = 0;
  auto parseFeature = [&]() -> ParseResult {
    std::string feature;
    if (parser.parseString(&feature))
      return failure();
    features.push_back(StringAttr::get(parser.getContext(), feature));
    return success();
  };
  if (parser.parseLess() || parser.parseString(&name) || parser.parseComma() ||
      parser.parseKeyword("features") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseFeature) ||
      parser.parseComma() || parser.parseKeyword("vector_bits") || parser.parseEqual() ||
      parser.parseInteger(vectorBits) || parser.parseGreater())
    return {};
  return TargetAttr::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), name,
                                features, vectorBits);
}

void TargetAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getName() << "\", features = [";
  llvm::interleaveComma(getFeatures(), printer);
  printer << "], vector_bits = " << getVectorBits() << ">";
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef,
                                 ArrayRef<StringAttr>, unsigned vectorBits) {
  if (vectorBits < 64 || vectorBits > 4096 || (vectorBits & (vectorBits - 1)) != 0)
    return emitError() << "vector_bits must be a power of two from 64 to 4096, found "
                       << vectorBits;
  return success();
}

bool TargetAttr::hasFeature(StringRef feature) const {
  return llvm::any_of(getFeatures(),
                      [&](StringAttr present) { return present.getValue() == feature; });
}

//===------------------------------------------------------------------------------------------===//
// #relax.storage and #relax.values
//===------------------------------------------------------------------------------------------===//

Attribute StorageAttr::parse(AsmParser &parser, Type) {
  StringRef kind;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&kind) || parser.parseComma())
    return {};
  if (kind == "arena") {
    FailureOr<symbolic::Expr> offset = parseExpr(parser);
    if (failed(offset) || parser.parseGreater())
      return {};
    return StorageAttr::get(parser.getContext(), *offset);
  }
  unsigned index = 0;
  if (kind != "alias" && kind != "result") {
    parser.emitError(loc) << "expected arena, alias or result, found " << kind;
    return {};
  }
  if (parser.parseInteger(index) || parser.parseGreater())
    return {};
  return StorageAttr::get(parser.getContext(),
                          kind == "alias" ? StorageKind::Alias : StorageKind::Result, index);
}

void StorageAttr::print(AsmPrinter &printer) const {
  switch (getKind()) {
  case StorageKind::Arena:
    printer << "<arena, ";
    printExpr(printer, getOffset());
    break;
  case StorageKind::Alias:
    printer << "<alias, " << getIndex();
    break;
  case StorageKind::Result:
    printer << "<result, " << getIndex();
    break;
  }
  printer << ">";
}

Attribute ValuesAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<symbolic::Expr> lower = parseExpr(parser);
  if (failed(lower) || parser.parseComma())
    return {};
  FailureOr<symbolic::Expr> upper = parseExpr(parser);
  if (failed(upper) || parser.parseGreater())
    return {};
  return ValuesAttr::get(parser.getContext(), *lower, *upper);
}

void ValuesAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printExpr(printer, getLower());
  printer << ", ";
  printExpr(printer, getUpper());
  printer << ">";
}

//===------------------------------------------------------------------------------------------===//
// #relax.constraint
//===------------------------------------------------------------------------------------------===//

static constexpr ConstraintKind constraintKinds[] = {
    ConstraintKind::Equal, ConstraintKind::LessEqual, ConstraintKind::Divides,
    ConstraintKind::Broadcast};

StringRef constraintKindName(ConstraintKind kind) {
  switch (kind) {
  case ConstraintKind::Equal:
    return "equal";
  case ConstraintKind::LessEqual:
    return "less_equal";
  case ConstraintKind::Divides:
    return "divides";
  case ConstraintKind::Broadcast:
    break;
  }
  return "broadcast";
}

Attribute ConstraintAttr::parse(AsmParser &parser, Type) {
  StringRef name;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&name))
    return {};
  const auto *kind = llvm::find_if(
      constraintKinds, [&](ConstraintKind kind) { return constraintKindName(kind) == name; });
  if (kind == std::end(constraintKinds)) {
    parser.emitError(loc) << "expected equal, less_equal, divides or broadcast, found " << name;
    return {};
  }
  if (parser.parseComma())
    return {};
  FailureOr<symbolic::Expr> a = parseExpr(parser);
  if (failed(a) || parser.parseComma())
    return {};
  FailureOr<symbolic::Expr> b = parseExpr(parser);
  if (failed(b) || parser.parseGreater())
    return {};
  return ConstraintAttr::get(parser.getContext(), *kind, *a, *b);
}

void ConstraintAttr::print(AsmPrinter &printer) const {
  printer << "<" << constraintKindName(getKind()) << ", ";
  printExpr(printer, getA());
  printer << ", ";
  printExpr(printer, getB());
  printer << ">";
}

} // namespace relax::ir
