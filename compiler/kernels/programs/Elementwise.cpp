// Element by element: arithmetic, activations, comparisons, conversions.

#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/kernels/programs/ElementFunctions.h"
#include "compiler/kernels/programs/Programs.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace relax::kernels {

static const llvm::StringMap<const ElementFunction *> &functionTable() {
  static const llvm::StringMap<const ElementFunction *> table = [] {
    llvm::StringMap<const ElementFunction *> made;
    for (ArrayRef<ElementFunction> functions : {arithmeticFunctions(), activationFunctions()})
      for (const ElementFunction &function : functions)
        made[function.op] = &function;
    return made;
  }();
  return table;
}

static Type elementType(Value tensor) {
  return cast<RankedTensorType>(tensor.getType()).getElementType();
}

static SmallVector<Value> buildElementwise(ProgramBuilder &program) {
  Operation *op = program.op;
  const ElementFunction *function = functionTable().lookup(op->getName().getStringRef());
  // The last operand: the first may be a condition.
  bool isUnsigned = elementType(op->getOperands().back()).isUnsignedInteger();
  auto body = [&](OpBuilder &b, Location loc, ValueRange arguments) -> Value {
    Scalars s(b, loc, isUnsigned);
    SmallVector<Value> operands(arguments.drop_back());
    for (Value &operand : operands)
      if (isNarrowFloat(operand.getType()))
        operand = s.convert(b.getF32Type(), operand);
    Value result = function->compute(s, operands, op);
    Type element = program.types[0].getElementType();
    return result.getType() == element ? result : s.convert(element, result);
  };
  return {program.pointwise(program.types[0], program.inputs, body)};
}

static SmallVector<Value> buildCast(ProgramBuilder &program) {
  bool fromUnsigned = elementType(program.op->getOperand(0)).isUnsignedInteger();
  bool toUnsigned = elementType(program.op->getResult(0)).isUnsignedInteger();
  return {program.pointwise(program.types[0], program.inputs,
                            [&](OpBuilder &b, Location loc, ValueRange v) {
                              return Scalars(b, loc).convert(program.types[0].getElementType(),
                                                             v[0], fromUnsigned, toUnsigned);
                            })};
}

ArrayRef<ProgramEntry> elementwisePrograms() {
  static const SmallVector<ProgramEntry> entries = [] {
    SmallVector<ProgramEntry> made = {{"relax.cast", buildCast}};
    for (ArrayRef<ElementFunction> functions : {arithmeticFunctions(), activationFunctions()})
      for (const ElementFunction &function : functions)
        made.push_back({function.op, buildElementwise});
    return made;
  }();
  return entries;
}

} // namespace relax::kernels
