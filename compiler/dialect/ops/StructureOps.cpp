//===- StructureOps.cpp - rules of dataflow blocks and calls ----------------------------------===//
//
// The rules that have numbers are listed in compiler/transforms/Verify.cpp.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/dialect/ops/StructureOps.h"

#include "compiler/dialect/Deduction.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace relax::ir {

void registerStructureOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/StructureOps.cpp.inc"
      >();
}

LogicalResult DataflowOp::verifyRegions() {
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("must end in relax.yield");
  if (yield.getOperandTypes() != getResultTypes())
    return emitOpError("yields ") << yield.getOperandTypes() << ", but its results are "
                                  << getResultTypes();
  return success();
}

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

/// Unifies operand and result types with a signature under `bindings`.
static LogicalResult matchSignature(Operation *op, FunctionType signature,
                                    std::map<std::string, symbolic::Expr> bindings,
                                    StringRef rule) {
  if (signature.getNumInputs() != op->getNumOperands() ||
      signature.getNumResults() != op->getNumResults())
    return op->emitOpError(rule) << " has " << op->getNumOperands() << " operands and "
                                 << op->getNumResults() << " results; the callee has "
                                 << signature.getNumInputs() << " and "
                                 << signature.getNumResults();
  SmallVector<DeferredDim> deferred;
  std::string message;
  for (auto [index, formal, actual] : llvm::enumerate(signature.getInputs(), op->getOperandTypes()))
    if (failed(unifyTypes(formal, actual, bindings, deferred, message)))
      return op->emitOpError(rule) << " operand " << index << " of type " << actual
                                   << " does not match the callee's " << formal << ": " << message;
  if (failed(checkDeferred(deferred, bindings, message)))
    return op->emitOpError(rule) << " does not match the callee's parameters: " << message;
  for (auto [index, formal, actual] :
       llvm::enumerate(signature.getResults(), op->getResultTypes())) {
    Type expected = substitute(formal, bindings);
    if (expected != actual)
      return op->emitOpError(rule)
             << " result " << index << " must have type " << expected << ", found " << actual;
  }
  return success();
}

LogicalResult CallKernelOp::verifySymbolUses(SymbolTableCollection &table) {
  auto callee = table.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("[R4] calls @") << getCallee() << ", which is not a function";
  auto names = callee->getAttrOfType<ArrayAttr>(RelaxDialect::kernelSymbolsAttr);
  // A scheduled kernel's parameters are memory and indices; its tensor signature is gone.
  if (callee->hasAttr("relax.scheduled_kernel"))
    return success();
  if (!names || !callee->hasAttr(RelaxDialect::kernelAttr))
    return emitOpError("[R4] calls @")
           << getCallee() << ", which is not a tensor program (relax.kernel, relax.kernel_symbols)";
  ArrayAttr values = getSymbols();
  if (names.size() != values.size())
    return emitOpError("[R4] gives ")
           << values.size() << " symbols; @" << getCallee() << " has " << names.size();
  std::map<std::string, symbolic::Expr> bindings;
  for (auto [name, value] : llvm::zip_equal(names, values))
    bindings[cast<StringAttr>(name).str()] = cast<ExprAttr>(value).getExpr();
  return matchSignature(*this, callee.getFunctionType(), std::move(bindings), "[R4]");
}

LogicalResult CallOp::verifySymbolUses(SymbolTableCollection &table) {
  auto callee = table.lookupNearestSymbolFrom<func::FuncOp>(*this, getCalleeAttr());
  if (!callee)
    return emitOpError("[R5] calls @") << getCallee() << ", which is not a function";
  return matchSignature(*this, callee.getFunctionType(), {}, "[R5]");
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/StructureOps.cpp.inc"
#pragma GCC diagnostic pop
