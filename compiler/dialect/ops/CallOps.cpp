//===- CallOps.cpp - rules of calls -----------------------------------------------------------===//
//
// The rules that have numbers are listed in compiler/transforms/Verify.cpp.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/dialect/ops/CallOps.h"

#include "compiler/dialect/Lattice.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace relax::ir {

void registerCallOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/CallOps.cpp.inc"
      >();
}

//===------------------------------------------------------------------------------------------===//
// Effects
//===------------------------------------------------------------------------------------------===//

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

static void addEffects(Effects &effects) {
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

void CallOp::getEffects(Effects &effects) {
  if (getImpure())
    addEffects(effects);
}

void CallPackedOp::getEffects(Effects &effects) {
  if (!getPure())
    addEffects(effects);
}

//===------------------------------------------------------------------------------------------===//
// Calls of tensor programs
//===------------------------------------------------------------------------------------------===//

LogicalResult CallKernelOp::verify() {
  if (std::optional<ArrayAttr> storage = getStorage();
      storage && storage->size() != getNumResults())
    return emitOpError("[R8] has ")
           << getNumResults() << " results, but storage for " << storage->size();
  std::optional<ArrayRef<int64_t>> donates = getDonates();
  if (!donates)
    return success();
  if (donates->size() != getNumResults())
    return emitOpError("[R7] has ")
           << getNumResults() << " results, but donates has " << donates->size() << " entries";
  for (auto [result, operand] : llvm::enumerate(*donates)) {
    if (operand == -1)
      continue;
    if (operand < 0 || operand >= static_cast<int64_t>(getInputs().size()))
      return emitOpError("[R7] result ") << result << " takes over operand " << operand
                                         << ", but there are " << getInputs().size();
    if (getInputs()[operand].getType() != getResultTypes()[result])
      return emitOpError("[R7] result ")
             << result << " of type " << getResultTypes()[result] << " cannot take over operand "
             << operand << " of type " << getInputs()[operand].getType();
  }
  return success();
}

static LogicalResult matchCounts(Operation *op, FunctionType signature, size_t operands,
                                 StringRef rule) {
  if (signature.getNumInputs() == operands && signature.getNumResults() == op->getNumResults())
    return success();
  return op->emitOpError(rule) << " has " << operands << " operands and " << op->getNumResults()
                               << " results; the callee has " << signature.getNumInputs() << " and "
                               << signature.getNumResults();
}

/// The types of operands and results, signless as programs have them, are exactly those of the
/// signature under `bindings`.
static LogicalResult matchProgram(Operation *op, FunctionType signature, Bindings bindings) {
  if (failed(matchCounts(op, signature, op->getNumOperands(), "[R4]")))
    return failure();
  for (auto [index, formal, given] :
       llvm::enumerate(signature.getInputs(), op->getOperandTypes())) {
    SmallVector<DeferredDim> deferred;
    std::string message;
    Type actual = signless(given);
    if (failed(unifyTypes(signless(formal), actual, bindings, deferred, message)) ||
        failed(checkDeferred(deferred, bindings, message)))
      return op->emitOpError("[R4] operand ")
             << index << " of type " << given << " does not match the callee's " << formal << ": "
             << message;
  }
  for (auto [index, formal, actual] :
       llvm::enumerate(signature.getResults(), op->getResultTypes())) {
    Type expected = substitute(formal, bindings);
    if (signless(expected) != signless(actual))
      return op->emitOpError("[R4] result ")
             << index << " must have type " << expected << ", found " << actual;
  }
  return success();
}

/// A tensor program gets a value for each of its symbols, and under these its types are the call's.
static LogicalResult matchProgramCall(Operation *op, func::FuncOp callee, ArrayAttr values) {
  // A scheduled kernel's parameters are memory and indices; its tensor signature is gone.
  if (callee->hasAttr("relax.scheduled_kernel"))
    return success();
  auto names = callee->getAttrOfType<ArrayAttr>(RelaxDialect::kernelSymbolsAttr);
  if (!names || !callee->hasAttr(RelaxDialect::kernelAttr))
    return op->emitOpError("[R4] calls @")
           << callee.getName()
           << ", which is not a tensor program (relax.kernel, relax.kernel_symbols)";
  size_t given = values ? values.size() : 0;
  if (names.size() != given)
    return op->emitOpError("[R4] gives ")
           << given << " symbols; @" << callee.getName() << " has " << names.size();
  std::map<std::string, symbolic::Expr> bindings;
  for (auto [i, name] : llvm::enumerate(names))
    bindings[cast<StringAttr>(name).str()] = cast<ExprAttr>(values[i]).getExpr();
  return matchProgram(op, callee.getFunctionType(), std::move(bindings));
}

LogicalResult CallKernelOp::verifySymbolUses(SymbolTableCollection &table) {
  auto callee = table.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("[R4] calls @") << getCallee() << ", which is not a function";
  return matchProgramCall(*this, callee, getSymbols());
}

//===------------------------------------------------------------------------------------------===//
// Calls of graph functions
//===------------------------------------------------------------------------------------------===//

LogicalResult deduceCall(FunctionType signature, TypeRange operands, SmallVectorImpl<Type> &results,
                         std::string &message, SmallVectorImpl<Constraint> *constraints) {
  Bindings bindings;
  SmallVector<DeferredDim> deferred;
  SmallVector<Constraint> unproved;
  for (auto [index, formal, actual] : llvm::enumerate(signature.getInputs(), operands)) {
    size_t before = deferred.size();
    if (failed(unifyTypes(formal, actual, bindings, deferred, message))) {
      std::string reason = std::move(message);
      message.clear();
      llvm::raw_string_ostream(message)
          << "operand " << index << " of type '" << actual << "' does not match the callee's '"
          << formal << "': " << reason;
      return failure();
    }
    for (DeferredDim &dim : llvm::drop_begin(deferred, before))
      dim.where = "operand " + std::to_string(index) + ", " + dim.where;
  }
  if (failed(checkDeferred(deferred, bindings, message, constraints ? constraints : &unproved))) {
    message = "does not match the callee's parameters: " + message;
    return failure();
  }
  for (Type formal : signature.getResults())
    results.push_back(substituteOrErase(formal, bindings));
  return success();
}

/// Operand types unify with a signature, and the result types are those that follow. Notes say
/// where the callee and the operands come from.
static LogicalResult matchSignature(Operation *op, FunctionType signature, ValueRange operands,
                                    Location callee) {
  if (failed(matchCounts(op, signature, operands.size(), "[R5]")))
    return failure();
  SmallVector<Type> expected;
  std::string message;
  if (failed(deduceCall(signature, operands.getTypes(), expected, message))) {
    InFlightDiagnostic error = op->emitOpError("[R5]") << " " << message;
    error.attachNote(callee) << "the callee, of type " << signature << ", is from here";
    for (auto [index, operand] : llvm::enumerate(operands))
      if (operand.getDefiningOp())
        error.attachNote(operand.getLoc()) << "operand " << index << " comes from here";
    return error;
  }
  for (auto [index, type, actual] : llvm::enumerate(expected, op->getResultTypes()))
    if (!isRenamed(type, actual))
      return op->emitOpError("[R5]")
             << " result " << index << " must have type " << type << ", found " << actual;
  return success();
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &table) {
  auto callee = table.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("[R5] calls @") << getCallee() << ", which is not a function";
  if (callee->hasAttr(RelaxDialect::kernelAttr))
    return emitOpError("[R5] calls @")
           << getCallee() << ", which is a tensor program; relax.call_kernel calls those";
  if (callee->hasAttr(RelaxDialect::impureAttr) != getImpure())
    return emitOpError("[R5] @") << getCallee()
                                 << (getImpure() ? " is pure, so its calls are not `impure`"
                                                 : " is relax.impure, so its calls are `impure`");
  return matchSignature(*this, callee.getFunctionType(), getInputs(), callee.getLoc());
}

//===------------------------------------------------------------------------------------------===//
// Calls of libraries
//===------------------------------------------------------------------------------------------===//

LogicalResult CallLibraryOp::verify() {
  if (std::optional<ArrayAttr> storage = getStorage();
      storage && storage->size() != getNumResults())
    return emitOpError("[R8] has ")
           << getNumResults() << " results, but storage for " << storage->size();
  size_t measures = getWhen() ? getWhen()->size() : 0;
  size_t numbers = getAtLeast() ? getAtLeast()->size() : 0;
  if (measures != numbers)
    return emitOpError("[R22] has ")
           << measures << " expressions in `when`, but " << numbers << " numbers in `at_least`";
  if (!getOtherwise() && (getOtherwiseSymbols() || getWhen() || getTuned()))
    return emitOpError("[R22] says when it is called, but not what is called `otherwise`");
  if (std::optional<DictionaryAttr> tuned = getTuned()) {
    auto atLeast = tuned->getAs<DenseI64ArrayAttr>("at_least");
    if (!atLeast || static_cast<size_t>(atLeast.size()) != measures ||
        !tuned->getAs<StringAttr>("version") || !tuned->getAs<StringAttr>("cpu"))
      return emitOpError("[R22] `tuned` needs at_least with ")
             << measures << " numbers, version and cpu";
  }
  return success();
}

LogicalResult CallLibraryOp::verifySymbolUses(SymbolTableCollection &table) {
  if (!getOtherwise())
    return success();
  auto callee = table.lookupNearestSymbolFrom<func::FuncOp>(*this, getOtherwiseAttr());
  if (!callee)
    return emitOpError("[R22] `otherwise` is @") << *getOtherwise() << ", which is not a function";
  if (callee->hasAttr(RelaxDialect::kernelAttr) || callee->hasAttr("relax.scheduled_kernel"))
    return matchProgramCall(*this, callee, getOtherwiseSymbols().value_or(ArrayAttr()));
  if (callee->hasAttr(RelaxDialect::impureAttr) || getOtherwiseSymbols())
    return emitOpError("[R22] `otherwise` is @")
           << callee.getName() << ", a graph function: it must be pure, and takes no symbols";
  return matchSignature(*this, callee.getFunctionType(), getInputs(), callee.getLoc());
}

LogicalResult CallIndirectOp::verify() {
  return matchSignature(*this, cast<FunctionType>(getCallee().getType()), getInputs(),
                        getCallee().getLoc());
}

LogicalResult FunctionOp::verifySymbolUses(SymbolTableCollection &table) {
  auto function = table.lookupNearestSymbolFrom<func::FuncOp>(*this, getFunctionAttr());
  if (!function || function->hasAttr(RelaxDialect::kernelAttr))
    return emitOpError("[R5] @") << getFunction() << " is not a graph function";
  if (function->hasAttr(RelaxDialect::impureAttr))
    return emitOpError("[R5] @") << getFunction()
                                 << " is relax.impure; functions that are values are pure";
  std::string why;
  if (isSubtypeOf(function.getFunctionType(), getType(), {}, &why) != symbolic::Proof::Proved)
    return emitOpError("[R5] @") << getFunction() << " of type " << function.getFunctionType()
                                 << " is not a " << getType() << ": " << why;
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/CallOps.cpp.inc"
#pragma GCC diagnostic pop
