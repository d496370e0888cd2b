//===- Dialect.cpp - registration, and checks of the dialect's discardable attributes ---------===//
#include "compiler/dialect/Dialect.h"

#include "compiler/dialect/Ops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#include "compiler/dialect/Dialect.cpp.inc"
#pragma GCC diagnostic pop

namespace relax::ir {

void RelaxDialect::initialize() {
  symbolicContext = std::make_unique<symbolic::Context>();
  registerAttributes();
  registerTypes();
  registerOps();
}

symbolic::Context &symbolicContext(MLIRContext *context) {
  return context->getOrLoadDialect<RelaxDialect>()->getSymbolicContext();
}

/// relax.ragged = {starts, cached: argument indices; limit, total: expressions}.
static LogicalResult verifyRagged(Operation *op, Attribute value) {
  auto dictionary = dyn_cast<DictionaryAttr>(value);
  auto function = dyn_cast<func::FuncOp>(op);
  if (!dictionary || !function)
    return op->emitError("[R10] relax.ragged is a dictionary on a function");
  for (StringRef key : {"starts", "cached"}) {
    auto index = dictionary.getAs<IntegerAttr>(key);
    if (!index || index.getInt() < 0 || index.getInt() >= function.getNumArguments())
      return op->emitError("[R10] relax.ragged: `")
             << key << "` must be the index of an argument; the function has "
             << function.getNumArguments();
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[index.getInt()]);
    if (!type || type.getRank() != 1 || !type.getElementType().isInteger(32))
      return op->emitError("[R10] relax.ragged: argument ")
             << index.getInt() << " (`" << key << "`) must be a rank-1 tensor of i32, found "
             << function.getArgumentTypes()[index.getInt()];
  }
  for (StringRef key : {"limit", "total"})
    if (!dictionary.getAs<ExprAttr>(key))
      return op->emitError("[R10] relax.ragged: `") << key << "` must be a #relax.expr";
  return success();
}

LogicalResult RelaxDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName().strref();
  Attribute value = attribute.getValue();
  if (name == symbolsAttr && (!isa<SymbolsAttr>(value) || !isa<func::FuncOp>(op)))
    return op->emitError("[R1] relax.symbols is a #relax.symbols attribute on a function");
  if (name == targetAttr && (!isa<TargetAttr>(value) || !isa<ModuleOp>(op)))
    return op->emitError("relax.target is a #relax.target attribute on a module");
  if (name == raggedAttr)
    return verifyRagged(op, value);
  if (name == kernelSymbolsAttr) {
    auto names = dyn_cast<ArrayAttr>(value);
    if (!names || !llvm::all_of(names, llvm::IsaPred<StringAttr>) || !isa<func::FuncOp>(op))
      return op->emitError("[R3] relax.kernel_symbols is an array of strings on a function");
  }
  return success();
}

LogicalResult RelaxDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argIndex,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName().strref();
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return success();
  auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[argIndex]);
  if (name == nameAttr && !isa<StringAttr>(attribute.getValue()))
    return op->emitError("relax.name of argument ") << argIndex << " must be a string";
  if (name == donatedAttr && (!isa<UnitAttr>(attribute.getValue()) || !type))
    return op->emitError("[R6] relax.donated of argument ")
           << argIndex << " is a unit attribute of a ranked tensor";
  if (name == valuesAttr &&
      (!isa<ValuesAttr>(attribute.getValue()) || !type || !type.getElementType().isInteger(32)))
    return op->emitError("[R9] relax.values of argument ")
           << argIndex << " is a #relax.values on a tensor of i32, found "
           << function.getArgumentTypes()[argIndex];
  return success();
}

} // namespace relax::ir
