// Signatures, and values whose annotation says more than the compiler knows: what of them is
// checked at run time, and which symbols get their values from it.
#include "compiler/driver/ElementTypes.h"
#include "compiler/driver/EmitGuards.h"
#include "compiler/driver/GeneralEmitter.h"
#include "compiler/driver/Locations.h"
#include "compiler/symbolic/Solve.h"
#include "compiler/transforms/FunctionForm.h"

using namespace mlir;
using relax::artifact::Instruction;
using relax::artifact::noSlot;
using relax::artifact::Slot;
using relax::artifact::SlotOp;
using relax::artifact::TypePattern;
using relax::symbolic::Expr;

namespace relax::driver {
namespace {

/// The dimensions of a tensor or shape of known rank; nothing for anything else.
std::optional<SmallVector<Expr>> dimsOf(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return SmallVector<Expr>(ir::shapeOf(tensor));
  if (auto shape = dyn_cast<ir::ShapeType>(type); shape && shape.hasRank())
    return shape.getDimsOrUnknown();
  return std::nullopt;
}

Slot unknownDim(Expr, unsigned) { return noSlot; }

} // namespace

FailureOr<TypePattern> GeneralEmitter::patternOf(Type type, Location loc, DimFunction dim) {
  TypePattern pattern;
  if (auto tensor = dyn_cast<TensorType>(type)) {
    pattern.kind = TypePattern::Tensor;
    pattern.anyDType = isa<ir::AnyType>(tensor.getElementType());
    if (!pattern.anyDType) {
      FailureOr<artifact::DType> dtype = dtypeOf(tensor.getElementType(), loc);
      if (failed(dtype))
        return failure();
      pattern.dtype = *dtype;
    }
  } else if (isa<ir::ShapeType>(type)) {
    pattern.kind = TypePattern::Shape;
  } else if (auto tuple = dyn_cast<TupleType>(type)) {
    pattern.kind = TypePattern::Tuple;
    for (Type field : tuple.getTypes()) {
      FailureOr<uint32_t> number = addPattern(field, loc, unknownDim);
      if (failed(number))
        return failure();
      pattern.fields.push_back(*number);
    }
  } else if (auto functionType = dyn_cast<FunctionType>(type)) {
    pattern.kind = TypePattern::Function;
    pattern.numParameters = static_cast<int32_t>(functionType.getNumInputs());
    pattern.numResults = static_cast<int32_t>(functionType.getNumResults());
  } else if (isa<ir::ObjectType>(type)) {
    // Whatever it is: every value is an object to one who knows nothing of it.
    pattern.kind = TypePattern::Any;
  } else {
    return emitError(loc, "values of type ") << type << " can't be passed between functions";
  }
  if (auto dims = dimsOf(type)) {
    for (auto [axis, expr] : llvm::enumerate(*dims))
      pattern.dims.push_back(dim(expr, axis));
  } else if (isa<TensorType, ir::ShapeType>(type)) {
    pattern.anyRank = true;
  }
  return pattern;
}

FailureOr<uint32_t> GeneralEmitter::addPattern(Type type, Location loc, DimFunction dim) {
  FailureOr<TypePattern> pattern = patternOf(type, loc, dim);
  if (failed(pattern))
    return failure();
  result.patterns.push_back(std::move(*pattern));
  return static_cast<uint32_t>(result.patterns.size() - 1);
}

void GeneralEmitter::bindSymbol(const std::string &name, Slot slot, const std::string &origin,
                                int64_t lo) {
  if (slots.isBound(name))
    return;
  slots.bind(name, slot);
  artifact::Symbol symbol;
  symbol.name = name;
  symbol.slot = slot;
  symbol.origin = origin;
  symbol.lo = lo;
  auto symbols = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr);
  if (const ir::SymbolDeclaration *declared = symbols ? symbols.find(name) : nullptr) {
    symbol.lo = declared->lo;
    symbol.hi = declared->hi;
    symbol.divisor = declared->divisor;
  }
  result.symbols.push_back(std::move(symbol));
}

LogicalResult GeneralEmitter::emitSignature() {
  result.numRegisters = function.getNumArguments();
  for (BlockArgument argument : function.getArguments()) {
    registers[argument] = argument.getArgNumber();
    if (auto dims = dimsOf(argument.getType()))
      for (auto [axis, dim] : llvm::enumerate(*dims))
        if (dim && dim.isSymbol() && !slots.isBound(dim.symbolName()))
          bindSymbol(dim.symbolName(),
                     slots.append(SlotOp::Dimension, argument.getArgNumber(), axis), "");
  }
  // An unknown dimension that a match_cast of the argument names is known at the door, too.
  std::map<std::pair<unsigned, unsigned>, Slot> named;
  for (auto &[name, dim] : transforms::symbolsOfArguments(function)) {
    if (slots.isBound(name))
      continue;
    Slot slot = slots.append(SlotOp::Dimension, dim.argument, dim.axis);
    bindSymbol(name, slot, "");
    named[{dim.argument, dim.axis}] = slot;
  }
  SmallVector<BlockArgument> open; // Those that the patterns alone don't check.
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    bool closed = !isa<TupleType>(argument.getType());
    auto dim = [&](Expr expr, unsigned axis) {
      Slot slot = noSlot;
      if (expr)
        slot = slots.slotOf(expr);
      else if (auto it = named.find({i, axis}); it != named.end())
        slot = it->second;
      closed &= slot != noSlot || !expr;
      return slot;
    };
    FailureOr<uint32_t> pattern = addPattern(argument.getType(), argument.getLoc(), dim);
    if (failed(pattern))
      return failure();
    auto name = function.getArgAttrOfType<StringAttr>(i, ir::RelaxDialect::nameAttr);
    artifact::Parameter parameter;
    parameter.name = name ? name.str() : "arg" + std::to_string(i);
    parameter.donated = function.getArgAttr(i, ir::RelaxDialect::donatedAttr) != nullptr;
    parameter.pattern = *pattern;
    result.parameters.push_back(std::move(parameter));
    if (!closed)
      open.push_back(argument);
  }
  result.entrySlots = firstPending = slots.size();
  for (BlockArgument argument : open) {
    unsigned i = argument.getArgNumber();
    std::string what = "argument " + std::to_string(i) + " \"" + result.parameters[i].name + "\"";
    if (failed(emitCast(i, argument.getType(), argument.getLoc(), what, true)))
      return failure();
  }
  auto slot = [&](Expr expr, Location loc) { return slotOf(expr, loc); };
  std::vector<artifact::Guard> guards;
  if (failed(makeValueGuards(function, guards, slot)))
    return failure();
  for (artifact::Guard &guard : guards)
    appendCheck(std::move(guard));
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    // Only what is known at entry: the rest may be made where it is never evaluated.
    auto known = [&](Expr expr, unsigned) {
      std::set<std::string> names;
      if (expr)
        expr.collectSymbols(names);
      bool bound = expr && llvm::all_of(names, [&](auto &name) { return slots.isBound(name); });
      return bound ? slots.slotOf(expr) : noSlot;
    };
    FailureOr<uint32_t> pattern = addPattern(type, function.getLoc(), known);
    if (failed(pattern))
      return failure();
    auto name = function.getResultAttrOfType<StringAttr>(i, ir::RelaxDialect::nameAttr);
    artifact::Result described;
    described.name = name ? name.str() : "result" + std::to_string(i);
    described.pattern = *pattern;
    result.results.push_back(std::move(described));
  }
  flush();
  return success();
}

/// The slots of a value's dimensions as `type` says them. Symbols without a value get it here: one
/// that is a dimension of its own first, then those that a dimension can be solved for.
LogicalResult GeneralEmitter::bindDims(Register from, Type type, Location loc,
                                       std::vector<Slot> &slotNumbers) {
  SmallVector<Expr> dims = *dimsOf(type);
  SlotOp::Kind kind = isa<TensorType>(type) ? SlotOp::RegisterDimension : SlotOp::ShapeElement;
  std::string origin = locationText(loc);
  for (auto [axis, dim] : llvm::enumerate(dims))
    if (dim && dim.isSymbol() && !slots.isBound(dim.symbolName()))
      bindSymbol(dim.symbolName(), slots.append(kind, from, axis), origin);
  symbolic::Context &context = ir::symbolicContext(function.getContext());
  // Each solved one may be what another dimension needs.
  for (bool progress = true; progress;) {
    progress = false;
    for (auto [axis, dim] : llvm::enumerate(dims)) {
      std::set<std::string> names;
      if (dim)
        dim.collectSymbols(names);
      std::erase_if(names, [&](const std::string &name) { return slots.isBound(name); });
      if (names.size() != 1)
        continue;
      const std::string actual = "$" + std::to_string(slots.size()), &name = *names.begin();
      auto solution = symbolic::solveFor(dim, name, context.symbol(actual), {});
      if (!solution)
        continue;
      slots.bind(actual, slots.append(kind, from, axis));
      bindSymbol(name, slots.slotOf(solution->value), origin, INT64_MIN);
      progress = true;
    }
  }
  for (Expr dim : dims) {
    FailureOr<Slot> slot = dim ? slotOf(dim, loc) : FailureOr<Slot>(noSlot);
    if (failed(slot))
      return failure();
    slotNumbers.push_back(*slot);
  }
  return success();
}

LogicalResult GeneralEmitter::emitCast(Register from, Type type, Location loc,
                                       const std::string &what, bool check) {
  flush();
  Slot first = slots.size();
  std::vector<Slot> dims;
  if (dimsOf(type) && failed(bindDims(from, type, loc, dims)))
    return failure();
  if (check) {
    auto dim = [&](Expr, unsigned axis) { return dims[axis]; };
    FailureOr<uint32_t> pattern = addPattern(type, loc, dim);
    if (failed(pattern))
      return failure();
    result.patterns[*pattern].what = what;
    result.patterns[*pattern].source = locationText(loc);
    Slot last = firstPending = slots.size();
    Instruction &instruction = append(Instruction::CheckValue, {from}, {}, *pattern);
    if (first != last)
      instruction.slots = {first, last};
  }
  auto tuple = dyn_cast<TupleType>(type);
  if (!tuple)
    return success();
  for (auto [i, field] : llvm::enumerate(tuple.getTypes())) {
    std::set<std::string> names;
    ir::collectSymbols(field, names);
    if (names.empty() && !check)
      continue;
    Register part = newRegister();
    append(Instruction::TupleGet, {part, from}, {}, static_cast<uint32_t>(i));
    // Its static dimensions are checked as well: the tuple's pattern has only kinds.
    if (failed(emitCast(part, field, loc, what + ", field " + std::to_string(i), check)))
      return failure();
    temporaries.push_back(part);
  }
  return success();
}

} // namespace relax::driver
