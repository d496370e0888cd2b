//===- Types.cpp - types of the dialect, and symbolic shapes of builtin tensors ---------------===//
#include "compiler/dialect/Dialect.h"
#include "compiler/symbolic/Prove.h"
#include "mlir/IR/AttrTypeSubElements.h"
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
    if (rank < 0) {
      parser.emitError(loc) << "a rank cannot be negative, found " << rank;
      return {};
    }
    return ShapeType::get(parser.getContext(), rank);
  }
  SmallVector<symbolic::Expr> dims;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     [&]() -> ParseResult {
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
  if (!hasDims()) {
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

RankedTensorType tensorType(MLIRContext *context, ArrayRef<symbolic::Expr> dims, Type elementType) {
  SmallVector<int64_t> sizes;
  bool anySymbolic = false;
  for (symbolic::Expr dim : dims) {
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

//===------------------------------------------------------------------------------------------===//
// Symbols of types and attributes
//===------------------------------------------------------------------------------------------===//

namespace {
void collectDims(ArrayRef<symbolic::Expr> dims, std::set<std::string> &names) {
  for (symbolic::Expr dim : dims)
    if (dim)
      dim.collectSymbols(names);
}

/// Visits every shape and expression inside a type or an attribute.
struct SymbolCollector {
  explicit SymbolCollector(std::set<std::string> &names) {
    walker.addWalk([&names](ShapeAttr shape) { collectDims(shape.getDims(), names); });
    walker.addWalk([&names](ShapeType shape) { collectDims(shape.getDims(), names); });
    walker.addWalk([&names](ExprAttr expr) { expr.getExpr().collectSymbols(names); });
    walker.addWalk([&names](ValuesAttr values) {
      values.getLower().collectSymbols(names);
      values.getUpper().collectSymbols(names);
    });
    walker.addWalk([&names](StorageAttr storage) {
      if (storage.getOffset())
        storage.getOffset().collectSymbols(names);
    });
    walker.addWalk([&names](RankedTensorType type) {
      if (auto shape = dyn_cast_or_null<ShapeAttr>(type.getEncoding()))
        collectDims(shape.getDims(), names);
    });
  }
  AttrTypeWalker walker;
};

using Values = std::map<std::string, symbolic::Expr>;

SmallVector<symbolic::Expr> substituteDims(ArrayRef<symbolic::Expr> dims, const Values &values) {
  return llvm::map_to_vector(
      dims, [&](symbolic::Expr dim) { return dim ? symbolic::substitute(dim, values) : dim; });
}

/// A tensor is rebuilt as a whole, since a dimension may become static.
struct Substituter {
  explicit Substituter(const Values &values) {
    using Result = std::optional<std::pair<Type, WalkResult>>;
    using AttrResult = std::optional<std::pair<Attribute, WalkResult>>;
    replacer.addReplacement([&values](RankedTensorType type) -> Result {
      auto shape = dyn_cast_or_null<ShapeAttr>(type.getEncoding());
      if (!shape)
        return std::nullopt;
      return {{tensorType(type.getContext(), substituteDims(shape.getDims(), values),
                          type.getElementType()),
               WalkResult::skip()}};
    });
    replacer.addReplacement([&values](ShapeType type) -> Result {
      if (!type.hasDims())
        return std::nullopt;
      return {{ShapeType::get(type.getContext(), substituteDims(type.getDims(), values)),
               WalkResult::skip()}};
    });
    replacer.addReplacement([&values](ShapeAttr shape) -> AttrResult {
      return {{ShapeAttr::get(shape.getContext(), substituteDims(shape.getDims(), values)),
               WalkResult::skip()}};
    });
    replacer.addReplacement([&values](ExprAttr expr) -> AttrResult {
      return {{ExprAttr::get(expr.getContext(), symbolic::substitute(expr.getExpr(), values)),
               WalkResult::skip()}};
    });
  }
  AttrTypeReplacer replacer;
};
} // namespace

void collectSymbols(Type type, std::set<std::string> &names) {
  SymbolCollector(names).walker.walk(type);
}

void collectSymbols(Attribute attribute, std::set<std::string> &names) {
  SymbolCollector(names).walker.walk(attribute);
}

Type substitute(Type type, const Values &values) {
  return Substituter(values).replacer.replace(type);
}

Attribute substitute(Attribute attribute, const Values &values) {
  return Substituter(values).replacer.replace(attribute);
}

//===------------------------------------------------------------------------------------------===//
// Unification
//===------------------------------------------------------------------------------------------===//

static bool isClosed(symbolic::Expr expr, const Values &bindings) {
  std::set<std::string> names;
  expr.collectSymbols(names);
  return llvm::all_of(names, [&](const std::string &name) { return bindings.count(name) != 0; });
}

static LogicalResult checkDim(symbolic::Expr formal, symbolic::Expr actual, const Values &bindings,
                              std::string &message) {
  symbolic::Expr expected = symbolic::substitute(formal, bindings);
  if (actual && symbolic::proveEqual(expected, actual, {}) == symbolic::Proof::Proved)
    return success();
  message = "expected " + expected.str();
  if (!(expected == formal))
    message += " (" + formal.str() + ")";
  message += ", found " + (actual ? actual.str() : std::string("?"));
  return failure();
}

LogicalResult unifyTypes(Type formal, Type actual, Values &bindings,
                         SmallVectorImpl<DeferredDim> &deferred, std::string &message) {
  auto formalTensor = dyn_cast<RankedTensorType>(formal);
  auto actualTensor = dyn_cast<RankedTensorType>(actual);
  auto typeText = [](Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return text;
  };
  ArrayRef<symbolic::Expr> formalDims, actualDims;
  if (formalTensor && actualTensor &&
      formalTensor.getElementType() == actualTensor.getElementType()) {
    formalDims = shapeOf(formalTensor);
    actualDims = shapeOf(actualTensor);
  } else if (isa<ShapeType>(formal) && isa<ShapeType>(actual) &&
             cast<ShapeType>(actual).hasDims()) {
    formalDims = cast<ShapeType>(formal).getDims();
    actualDims = cast<ShapeType>(actual).getDims();
  } else if (formal == actual) {
    return success();
  } else {
    message = "expected " + typeText(formal) + ", found " + typeText(actual);
    return failure();
  }
  if (formalDims.size() != actualDims.size()) {
    message = "expected " + std::to_string(formalDims.size()) + " dimensions, found " +
              std::to_string(actualDims.size());
    return failure();
  }
  for (auto [index, formalDim, actualDim] : llvm::enumerate(formalDims, actualDims)) {
    if (!formalDim)
      continue;
    if (formalDim.isSymbol() && actualDim &&
        bindings.try_emplace(formalDim.symbolName(), actualDim).second)
      continue;
    if (!isClosed(formalDim, bindings)) {
      deferred.push_back({formalDim, actualDim});
      continue;
    }
    if (failed(checkDim(formalDim, actualDim, bindings, message))) {
      message = "dimension " + std::to_string(index) + ": " + message;
      return failure();
    }
  }
  return success();
}

LogicalResult checkDeferred(ArrayRef<DeferredDim> deferred, const Values &bindings,
                            std::string &message) {
  for (const DeferredDim &dim : deferred) {
    if (!isClosed(dim.formal, bindings)) {
      message = "nothing determines the symbols of " + dim.formal.str();
      return failure();
    }
    if (failed(checkDim(dim.formal, dim.actual, bindings, message)))
      return failure();
  }
  return success();
}

} // namespace relax::ir
