//===- Lattice.cpp - the order of annotations from precise to imprecise -----------------------===//
#include "compiler/dialect/Lattice.h"

using namespace mlir;

namespace relax::ir {

using symbolic::Proof;

/// Both must hold.
static Proof both(Proof a, Proof b) {
  if (a == Proof::Refuted || b == Proof::Refuted)
    return Proof::Refuted;
  return a == Proof::Proved ? b : a;
}

static Proof because(Proof proof, std::string *why, const Twine &text) {
  if (why)
    *why = text.str();
  return proof;
}

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static Proof dimsFit(ArrayRef<symbolic::Expr> a, ArrayRef<symbolic::Expr> b,
                     const symbolic::Facts &facts, std::string *why) {
  if (a.size() != b.size())
    return because(Proof::Refuted, why,
                   "the rank is " + Twine(a.size()) + ", expected " + Twine(b.size()));
  Proof result = Proof::Proved;
  for (auto [index, dimA, dimB] : llvm::enumerate(a, b)) {
    if (!dimB || dimA == dimB)
      continue;
    Proof proof = dimA ? symbolic::proveEqual(dimA, dimB, facts) : Proof::Unknown;
    if (proof == Proof::Proved)
      continue;
    if (result != Proof::Refuted)
      because(proof, why,
              "dimension " + Twine(index) + " is " + (dimA ? dimA.str() : std::string("?")) +
                  ", expected " + dimB.str());
    result = both(result, proof);
  }
  return result;
}

static Proof tensorFits(TensorType a, TensorType b, const symbolic::Facts &facts,
                        std::string *why) {
  Type elementA = a.getElementType(), elementB = b.getElementType();
  Proof result = Proof::Proved;
  if (elementA != elementB && !isa<AnyType>(elementB))
    result =
        because(isa<AnyType>(elementA) ? Proof::Unknown : Proof::Refuted, why,
                "the element type is " + typeText(elementA) + ", expected " + typeText(elementB));
  auto rankedA = dyn_cast<RankedTensorType>(a), rankedB = dyn_cast<RankedTensorType>(b);
  if (!rankedB || result == Proof::Refuted)
    return result;
  if (!rankedA)
    return because(Proof::Unknown, why, "the rank is unknown");
  return both(result, dimsFit(shapeOf(rankedA), shapeOf(rankedB), facts, why));
}

static Proof shapeFits(ShapeType a, ShapeType b, const symbolic::Facts &facts, std::string *why) {
  if (!b.hasRank())
    return Proof::Proved;
  if (!a.hasRank())
    return because(Proof::Unknown, why, "the rank is unknown");
  return dimsFit(a.getDimsOrUnknown(), b.getDimsOrUnknown(), facts, why);
}

/// A function may stand for another if it takes what that takes and gives what that gives.
static Proof functionFits(FunctionType a, FunctionType b, std::string *why) {
  if (a.getNumInputs() != b.getNumInputs() || a.getNumResults() != b.getNumResults())
    return because(Proof::Refuted, why,
                   "it has " + Twine(a.getNumInputs()) + " parameters and " +
                       Twine(a.getNumResults()) + " results, expected " + Twine(b.getNumInputs()) +
                       " and " + Twine(b.getNumResults()));
  Bindings bindings;
  SmallVector<DeferredDim> deferred;
  SmallVector<Constraint> unproved;
  std::string message;
  Proof result = Proof::Proved;
  for (auto [index, own, given] : llvm::enumerate(a.getInputs(), b.getInputs())) {
    if (failed(unifyTypes(own, given, bindings, deferred, message)))
      return because(Proof::Refuted, why, "parameter " + Twine(index) + ": " + message);
    // What unification lets pass without a look: unknown element types and ranks, objects.
    Proof proof = isSubtypeOf(given, substituteOrErase(own, bindings), {}, nullptr);
    if (proof != Proof::Proved)
      result = because(Proof::Unknown, why, "parameter " + Twine(index) + " takes less");
  }
  if (failed(checkDeferred(deferred, bindings, message, &unproved)))
    return because(Proof::Refuted, why, "the parameters: " + message);
  if (!unproved.empty())
    result = because(Proof::Unknown, why, "the parameters: " + unproved.front().text);
  for (auto [index, own, wanted] : llvm::enumerate(a.getResults(), b.getResults())) {
    std::string inner;
    Proof proof = isSubtypeOf(substituteOrErase(own, bindings), wanted, {}, &inner);
    if (proof != Proof::Proved)
      because(proof, why, "result " + Twine(index) + ": " + inner);
    result = both(result, proof);
  }
  return result;
}

Proof isSubtypeOf(Type a, Type b, const symbolic::Facts &facts, std::string *why) {
  if (a == b || isa<ObjectType>(b))
    return Proof::Proved;
  if (isa<ObjectType>(a))
    return because(Proof::Unknown, why, "nothing is known of an object");
  if (isa<TensorType>(a) && isa<TensorType>(b))
    return tensorFits(cast<TensorType>(a), cast<TensorType>(b), facts, why);
  if (isa<ShapeType>(a) && isa<ShapeType>(b))
    return shapeFits(cast<ShapeType>(a), cast<ShapeType>(b), facts, why);
  if (isa<FunctionType>(a) && isa<FunctionType>(b))
    return functionFits(cast<FunctionType>(a), cast<FunctionType>(b), why);
  auto tupleA = dyn_cast<TupleType>(a), tupleB = dyn_cast<TupleType>(b);
  if (!tupleA || !tupleB || tupleA.size() != tupleB.size())
    return because(Proof::Refuted, why, "it is " + typeText(a) + ", expected " + typeText(b));
  Proof result = Proof::Proved;
  for (auto [index, partA, partB] : llvm::enumerate(tupleA.getTypes(), tupleB.getTypes())) {
    std::string inner;
    Proof proof = isSubtypeOf(partA, partB, facts, &inner);
    if (proof != Proof::Proved && result != Proof::Refuted)
      because(proof, why, "part " + Twine(index) + ": " + inner);
    result = both(result, proof);
  }
  return result;
}

//===------------------------------------------------------------------------------------------===//
// Joins
//===------------------------------------------------------------------------------------------===//

static SmallVector<symbolic::Expr> joinDims(ArrayRef<symbolic::Expr> a, ArrayRef<symbolic::Expr> b,
                                            const symbolic::Facts &facts) {
  SmallVector<symbolic::Expr> dims;
  for (auto [dimA, dimB] : llvm::zip_equal(a, b)) {
    bool equal =
        dimA && dimB &&
        (dimA == dimB || symbolic::proveEqual(dimA, dimB, facts) == symbolic::Proof::Proved);
    // Of two forms of one value the constant says more.
    dims.push_back(!equal ? symbolic::Expr() : dimB.isConstant() ? dimB : dimA);
  }
  return dims;
}

static Type joinTensors(TensorType a, TensorType b, const symbolic::Facts &facts) {
  MLIRContext *context = a.getContext();
  Type element =
      a.getElementType() == b.getElementType() ? a.getElementType() : AnyType::get(context);
  auto rankedA = dyn_cast<RankedTensorType>(a), rankedB = dyn_cast<RankedTensorType>(b);
  if (!rankedA || !rankedB || rankedA.getRank() != rankedB.getRank())
    return UnrankedTensorType::get(element);
  return tensorType(context, joinDims(shapeOf(rankedA), shapeOf(rankedB), facts), element);
}

static Type joinShapes(ShapeType a, ShapeType b, const symbolic::Facts &facts) {
  if (!a.hasRank() || !b.hasRank() || a.getRank() != b.getRank())
    return ShapeType::get(a.getContext(), ShapeType::unknownRank);
  return ShapeType::get(a.getContext(),
                        joinDims(a.getDimsOrUnknown(), b.getDimsOrUnknown(), facts));
}

/// The function type `b` with the symbols of `a`, if the parameters differ by their names alone.
static FunctionType renamedLike(FunctionType a, FunctionType b) {
  Bindings bindings;
  SmallVector<DeferredDim> deferred;
  std::string message;
  if (a.getNumInputs() != b.getNumInputs() || a.getNumResults() != b.getNumResults())
    return {};
  for (auto [inputA, inputB] : llvm::zip_equal(a.getInputs(), b.getInputs()))
    if (failed(unifyTypes(inputB, inputA, bindings, deferred, message)))
      return {};
  auto renamed = [&](Type type) { return substituteOrErase(type, bindings); };
  return FunctionType::get(a.getContext(), llvm::map_to_vector(b.getInputs(), renamed),
                           llvm::map_to_vector(b.getResults(), renamed));
}

static Type joinFunctions(FunctionType a, FunctionType b) {
  Type object = ObjectType::get(a.getContext());
  if (isSubtypeOf(a, b) == Proof::Proved)
    return b;
  if (isSubtypeOf(b, a) == Proof::Proved)
    return a;
  FunctionType renamed = renamedLike(a, b);
  if (!renamed || renamed.getInputs() != a.getInputs())
    return object;
  SmallVector<Type> results;
  for (auto [resultA, resultB] : llvm::zip_equal(a.getResults(), renamed.getResults()))
    results.push_back(join(resultA, resultB));
  return FunctionType::get(a.getContext(), a.getInputs(), results);
}

Type join(Type a, Type b, const symbolic::Facts &facts) {
  if (a == b)
    return a;
  if (isa<TensorType>(a) && isa<TensorType>(b))
    return joinTensors(cast<TensorType>(a), cast<TensorType>(b), facts);
  if (isa<ShapeType>(a) && isa<ShapeType>(b))
    return joinShapes(cast<ShapeType>(a), cast<ShapeType>(b), facts);
  if (isa<FunctionType>(a) && isa<FunctionType>(b))
    return joinFunctions(cast<FunctionType>(a), cast<FunctionType>(b));
  auto tupleA = dyn_cast<TupleType>(a), tupleB = dyn_cast<TupleType>(b);
  if (!tupleA || !tupleB || tupleA.size() != tupleB.size())
    return ObjectType::get(a.getContext());
  SmallVector<Type> parts;
  for (auto [partA, partB] : llvm::zip_equal(tupleA.getTypes(), tupleB.getTypes()))
    parts.push_back(join(partA, partB, facts));
  return TupleType::get(a.getContext(), parts);
}

//===------------------------------------------------------------------------------------------===//
// Names
//===------------------------------------------------------------------------------------------===//

/// The type with the symbols of each function type in it called by numbers, in the order in which
/// its parameters have them as dimensions of their own.
static Type withNumberedSymbols(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type))
    return TupleType::get(type.getContext(),
                          llvm::map_to_vector(tuple.getTypes(), withNumberedSymbols));
  auto function = dyn_cast<FunctionType>(type);
  if (!function)
    return type;
  auto numbered = FunctionType::get(
      type.getContext(), llvm::map_to_vector(function.getInputs(), withNumberedSymbols),
      llvm::map_to_vector(function.getResults(), withNumberedSymbols));
  SmallVector<symbolic::Expr> dims;
  for (Type input : numbered.getInputs())
    collectDims(input, dims);
  Bindings names;
  for (symbolic::Expr dim : dims)
    if (dim && dim.isSymbol())
      names.try_emplace(dim.symbolName(),
                        dim.getContext().symbol("$" + std::to_string(names.size())));
  return substitute(numbered, names);
}

bool isRenamed(Type a, Type b) {
  return a == b || withNumberedSymbols(a) == withNumberedSymbols(b);
}

//===------------------------------------------------------------------------------------------===//
// Signatures
//===------------------------------------------------------------------------------------------===//

void collectDims(Type type, SmallVectorImpl<symbolic::Expr> &dims) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    llvm::append_range(dims, shapeOf(tensor));
  else if (auto shape = dyn_cast<ShapeType>(type))
    llvm::append_range(dims, shape.getDims());
  else if (auto tuple = dyn_cast<TupleType>(type))
    for (Type part : tuple.getTypes())
      collectDims(part, dims);
}

std::set<std::string> boundSymbols(TypeRange inputs) {
  SmallVector<symbolic::Expr> dims;
  for (Type type : inputs)
    collectDims(type, dims);
  std::set<std::string> plain;
  for (symbolic::Expr dim : dims)
    if (dim && dim.isSymbol())
      plain.insert(dim.symbolName());
  return plain;
}

std::set<std::string> unboundSymbols(TypeRange inputs) {
  std::set<std::string> used;
  for (Type type : inputs)
    if (!isa<FunctionType>(type))
      collectSymbols(type, used);
  for (const std::string &name : boundSymbols(inputs))
    used.erase(name);
  return used;
}

} // namespace relax::ir
