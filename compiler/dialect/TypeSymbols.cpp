//===- TypeSymbols.cpp - the symbols of types: collected, substituted, erased, unified --------===//
//
// The symbols of a function type are its own: it means the same whatever its symbols are called,
// and whatever those around it are. So these functions don't look into a function type that sits
// inside another type or attribute.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/dialect/Dialect.h"
#include "compiler/symbolic/Prove.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;

namespace relax::ir {

//===------------------------------------------------------------------------------------------===//
// Every type with its dimensions replaced by a function
//===------------------------------------------------------------------------------------------===//

using DimFunction = function_ref<symbolic::Expr(symbolic::Expr)>;

static SmallVector<symbolic::Expr> mapDims(ArrayRef<symbolic::Expr> dims, DimFunction function) {
  return llvm::map_to_vector(
      dims, [&](symbolic::Expr dim) { return dim ? function(dim) : symbolic::Expr(); });
}

static Type mapType(Type type, DimFunction function) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    auto shape = dyn_cast_or_null<ShapeAttr>(tensor.getEncoding());
    if (!shape)
      return type;
    // Rebuilt as a whole, since a dimension may become static.
    return tensorType(type.getContext(), mapDims(shape.getDims(), function),
                      tensor.getElementType());
  }
  if (auto shape = dyn_cast<ShapeType>(type)) {
    if (shape.getDims().empty())
      return type;
    return ShapeType::get(type.getContext(), mapDims(shape.getDims(), function));
  }
  if (auto tuple = dyn_cast<TupleType>(type))
    return TupleType::get(type.getContext(), llvm::map_to_vector(tuple.getTypes(), [&](Type part) {
                            return mapType(part, function);
                          }));
  return type;
}

/// The same, also for a function type that is given itself.
static Type mapGivenType(Type type, DimFunction function) {
  auto signature = dyn_cast<FunctionType>(type);
  if (!signature)
    return mapType(type, function);
  auto each = [&](Type part) { return mapType(part, function); };
  return FunctionType::get(type.getContext(), llvm::map_to_vector(signature.getInputs(), each),
                           llvm::map_to_vector(signature.getResults(), each));
}

//===------------------------------------------------------------------------------------------===//
// Collecting
//===------------------------------------------------------------------------------------------===//

static void collectDims(ArrayRef<symbolic::Expr> dims, std::set<std::string> &names) {
  for (symbolic::Expr dim : dims)
    if (dim && !dim.isConstant())
      dim.collectSymbols(names);
}

static void collectFrom(Type type, std::set<std::string> &names) {
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    if (auto shape = dyn_cast_or_null<ShapeAttr>(tensor.getEncoding()))
      collectDims(shape.getDims(), names);
  } else if (auto shape = dyn_cast<ShapeType>(type)) {
    collectDims(shape.getDims(), names);
  } else if (auto tuple = dyn_cast<TupleType>(type)) {
    for (Type part : tuple.getTypes())
      collectFrom(part, names);
  }
}

void collectSymbols(Type type, std::set<std::string> &names) {
  auto signature = dyn_cast<FunctionType>(type);
  if (!signature)
    return collectFrom(type, names);
  for (Type part : signature.getInputs())
    collectFrom(part, names);
  for (Type part : signature.getResults())
    collectFrom(part, names);
}

void collectSymbols(Attribute attribute, std::set<std::string> &names) {
  if (isa<StringAttr, IntegerAttr, FloatAttr, UnitAttr, SymbolRefAttr, DenseElementsAttr,
          DenseArrayAttr>(attribute))
    return;
  AttrTypeWalker walker;
  walker.addWalk([&](ShapeAttr shape) { collectDims(shape.getDims(), names); });
  walker.addWalk([&](ExprAttr expr) { expr.getExpr().collectSymbols(names); });
  walker.addWalk([&](ValuesAttr values) {
    values.getLower().collectSymbols(names);
    values.getUpper().collectSymbols(names);
  });
  walker.addWalk([&](ConstraintAttr constraint) {
    constraint.getA().collectSymbols(names);
    constraint.getB().collectSymbols(names);
  });
  walker.addWalk([&](StorageAttr storage) {
    if (storage.getOffset())
      storage.getOffset().collectSymbols(names);
  });
  walker.addWalk([&](Type type) {
    collectFrom(type, names);
    return WalkResult::skip();
  });
  walker.walk(attribute);
}

//===------------------------------------------------------------------------------------------===//
// Substituting and erasing
//===------------------------------------------------------------------------------------------===//

Type substitute(Type type, const Bindings &values) {
  return mapGivenType(type, [&](symbolic::Expr dim) { return symbolic::substitute(dim, values); });
}

Attribute substitute(Attribute attribute, const Bindings &values) {
  using Result = std::optional<std::pair<Type, WalkResult>>;
  using AttrResult = std::optional<std::pair<Attribute, WalkResult>>;
  auto replaced = [&](symbolic::Expr expr) {
    return expr ? symbolic::substitute(expr, values) : expr;
  };
  MLIRContext *context = attribute.getContext();
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](Type type) -> Result { return {{mapType(type, replaced), WalkResult::skip()}}; });
  replacer.addReplacement([&](ShapeAttr shape) -> AttrResult {
    return {{ShapeAttr::get(context, mapDims(shape.getDims(), replaced)), WalkResult::skip()}};
  });
  replacer.addReplacement([&](ExprAttr expr) -> AttrResult {
    return {{ExprAttr::get(context, replaced(expr.getExpr())), WalkResult::skip()}};
  });
  replacer.addReplacement([&](ValuesAttr range) -> AttrResult {
    return {{ValuesAttr::get(context, replaced(range.getLower()), replaced(range.getUpper())),
             WalkResult::skip()}};
  });
  replacer.addReplacement([&](ConstraintAttr constraint) -> AttrResult {
    return {{ConstraintAttr::get(context, constraint.getKind(), replaced(constraint.getA()),
                                 replaced(constraint.getB())),
             WalkResult::skip()}};
  });
  replacer.addReplacement([&](StorageAttr storage) -> AttrResult {
    return {{StorageAttr::get(context, storage.getKind(), replaced(storage.getOffset()),
                              storage.getIndex()),
             WalkResult::skip()}};
  });
  return replacer.replace(attribute);
}

static bool usesOnly(symbolic::Expr expr, function_ref<bool(StringRef)> keep) {
  if (expr.isConstant())
    return true;
  if (expr.isSymbol())
    return keep(expr.symbolName());
  std::set<std::string> names;
  expr.collectSymbols(names);
  return llvm::all_of(names, [&](const std::string &name) { return keep(name); });
}

Type eraseSymbols(Type type, function_ref<bool(StringRef)> keep) {
  return mapType(type,
                 [&](symbolic::Expr dim) { return usesOnly(dim, keep) ? dim : symbolic::Expr(); });
}

static bool isBound(StringRef name, const Bindings &bindings) {
  auto it = bindings.find(name.str());
  return it != bindings.end() && it->second;
}

Type substituteOrErase(Type type, const Bindings &bindings) {
  return mapType(type, [&](symbolic::Expr dim) {
    return usesOnly(dim, [&](StringRef name) { return isBound(name, bindings); })
               ? symbolic::substitute(dim, bindings)
               : symbolic::Expr();
  });
}

//===------------------------------------------------------------------------------------------===//
// Unification
//===------------------------------------------------------------------------------------------===//

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

/// Whether every symbol of `expr` has a known value.
static bool isClosed(symbolic::Expr expr, const Bindings &bindings) {
  return usesOnly(expr, [&](StringRef name) { return isBound(name, bindings); });
}

static symbolic::Proof compareDim(const DeferredDim &dim, const Bindings &bindings,
                                  std::string &message) {
  symbolic::Expr expected = symbolic::substitute(dim.formal, bindings);
  if (dim.actual && expected == dim.actual)
    return symbolic::Proof::Proved;
  message = dim.where + ": expected " + expected.str();
  if (!(expected == dim.formal))
    message += " (" + dim.formal.str() + ")";
  message += ", found " + (dim.actual ? dim.actual.str() : std::string("?"));
  return dim.actual ? symbolic::proveEqual(expected, dim.actual, {}) : symbolic::Proof::Unknown;
}

static LogicalResult unifyDims(ArrayRef<symbolic::Expr> formalDims,
                               ArrayRef<symbolic::Expr> actualDims, Bindings &bindings,
                               SmallVectorImpl<DeferredDim> &deferred, std::string &message) {
  if (formalDims.size() != actualDims.size()) {
    message = "expected " + std::to_string(formalDims.size()) + " dimensions, found " +
              std::to_string(actualDims.size());
    return failure();
  }
  for (auto [index, formal, actual] : llvm::enumerate(formalDims, actualDims)) {
    if (!formal)
      continue;
    if (formal.isSymbol()) {
      auto [it, isNew] = bindings.try_emplace(formal.symbolName(), actual);
      // A later parameter may know what an earlier one did not.
      if (isNew || !it->second) {
        it->second = actual;
        continue;
      }
    }
    DeferredDim dim{formal, actual, "dimension " + std::to_string(index)};
    if (isClosed(formal, bindings)) {
      symbolic::Proof proof = compareDim(dim, bindings, message);
      if (proof == symbolic::Proof::Proved)
        continue;
      if (proof == symbolic::Proof::Refuted)
        return failure();
    }
    deferred.push_back(std::move(dim));
  }
  return success();
}

LogicalResult unifyTypes(Type formal, Type actual, Bindings &bindings,
                         SmallVectorImpl<DeferredDim> &deferred, std::string &message) {
  message = "expected " + typeText(formal) + ", found " + typeText(actual);
  // What is an object may be anything; the callee looks at its door.
  if (formal == actual || isa<ObjectType>(formal) || isa<ObjectType>(actual))
    if (!isa<RankedTensorType, ShapeType, TupleType>(formal) || isa<ObjectType>(actual))
      return success();
  auto formalTensor = dyn_cast<TensorType>(formal), actualTensor = dyn_cast<TensorType>(actual);
  if (formalTensor && actualTensor) {
    Type a = formalTensor.getElementType(), b = actualTensor.getElementType();
    if (a != b && !isa<AnyType>(a) && !isa<AnyType>(b))
      return failure();
    auto formalRanked = dyn_cast<RankedTensorType>(formal);
    auto actualRanked = dyn_cast<RankedTensorType>(actual);
    if (!formalRanked)
      return success();
    SmallVector<symbolic::Expr> unknown(formalRanked.getRank());
    return unifyDims(shapeOf(formalRanked), actualRanked ? shapeOf(actualRanked) : unknown,
                     bindings, deferred, message);
  }
  auto formalShape = dyn_cast<ShapeType>(formal), actualShape = dyn_cast<ShapeType>(actual);
  if (formalShape && actualShape) {
    if (!formalShape.hasRank())
      return success();
    SmallVector<symbolic::Expr> dims(formalShape.getRank());
    if (actualShape.hasRank())
      dims = actualShape.getDimsOrUnknown();
    return unifyDims(formalShape.getDimsOrUnknown(), dims, bindings, deferred, message);
  }
  auto formalTuple = dyn_cast<TupleType>(formal), actualTuple = dyn_cast<TupleType>(actual);
  if (formalTuple && actualTuple && formalTuple.size() == actualTuple.size()) {
    for (auto [a, b] : llvm::zip_equal(formalTuple.getTypes(), actualTuple.getTypes()))
      if (failed(unifyTypes(a, b, bindings, deferred, message)))
        return failure();
    return success();
  }
  auto formalFunction = dyn_cast<FunctionType>(formal);
  auto actualFunction = dyn_cast<FunctionType>(actual);
  return success(formalFunction && actualFunction &&
                 formalFunction.getNumInputs() == actualFunction.getNumInputs() &&
                 formalFunction.getNumResults() == actualFunction.getNumResults());
}

LogicalResult checkDeferred(ArrayRef<DeferredDim> deferred, const Bindings &bindings,
                            std::string &message, SmallVectorImpl<Constraint> *unproved) {
  for (const DeferredDim &dim : deferred) {
    bool named = usesOnly(dim.formal, [&](StringRef name) { return bindings.count(name.str()); });
    if (!named) {
      message = "nothing determines the symbols of " + dim.formal.str();
      return failure();
    }
    // A symbol of unknown value: nothing can be said here.
    symbolic::Proof proof = symbolic::Proof::Unknown;
    symbolic::Expr expected;
    if (isClosed(dim.formal, bindings)) {
      proof = compareDim(dim, bindings, message);
      expected = symbolic::substitute(dim.formal, bindings);
    } else {
      message = dim.where + ": " + dim.formal.str() + " is unknown";
    }
    if (proof == symbolic::Proof::Proved)
      continue;
    if (proof == symbolic::Proof::Refuted || !unproved)
      return failure();
    unproved->push_back({ConstraintKind::Equal, dim.actual, expected, message});
  }
  return success();
}

} // namespace relax::ir
