#include "compiler/kernels/KernelStrategy.h"

#include "compiler/kernels/EmitUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;

namespace relax::kernels {

KernelContext::KernelContext(func::FuncOp program, func::FuncOp kernel, ir::TargetAttr target,
                             std::vector<std::string> symbols)
    : program(program), kernel(kernel), target(target), b(kernel.getBody().front().getTerminator()),
      loc(kernel.getLoc()), symbols(std::move(symbols)), entryBuilder(kernel.getContext()) {
  // A marker between what goes to the entry and the body; schedule-kernels removes it as dead code.
  auto marker = arith::ConstantIndexOp::create(b, loc, 0);
  entryBuilder.setInsertionPoint(marker);
  constants.emplace(0, marker);
  entryBuilder.setInsertionPointAfter(marker);
  auto end = arith::ConstantIndexOp::create(b, loc, 1);
  entryBuilder.setInsertionPoint(end);
}

unsigned KernelContext::numInputs() const { return func::FuncOp(program).getNumArguments(); }
unsigned KernelContext::numOutputs() const { return func::FuncOp(program).getNumResults(); }
Value KernelContext::input(unsigned i) const { return func::FuncOp(kernel).getArgument(i); }
Value KernelContext::output(unsigned i) const {
  return func::FuncOp(kernel).getArgument(numInputs() + i);
}

Value KernelContext::symbol(StringRef name) const {
  auto it = std::find(symbols.begin(), symbols.end(), name);
  if (it == symbols.end())
    return {};
  return func::FuncOp(kernel).getArgument(numInputs() + numOutputs() + (it - symbols.begin()));
}

Value KernelContext::begin() const {
  return func::FuncOp(kernel).getArgument(func::FuncOp(kernel).getNumArguments() - 2);
}
Value KernelContext::end() const {
  return func::FuncOp(kernel).getArgument(func::FuncOp(kernel).getNumArguments() - 1);
}

Value KernelContext::exprValue(symbolic::Expr expr) {
  if (expr.isConstant())
    return index(expr.constantValue());
  auto it = expressions.find(expr);
  if (it != expressions.end())
    return it->second;
  std::map<std::string, Value> values;
  for (const std::string &name : symbols)
    values[name] = symbol(name);
  Value value = emitExpr(entryBuilder, loc, expr, values);
  if (value)
    expressions.emplace(expr, value);
  return value;
}

Value KernelContext::index(int64_t value) {
  auto it = constants.find(value);
  if (it != constants.end())
    return it->second;
  Value constant = arith::ConstantIndexOp::create(entryBuilder, loc, value);
  constants.emplace(value, constant);
  return constant;
}

Value KernelContext::result(unsigned i) {
  return program.getBody().front().getTerminator()->getOperand(i);
}

ArrayRef<symbolic::Expr> KernelContext::shape(Value tensor) const {
  return ir::shapeOf(cast<RankedTensorType>(tensor.getType()));
}

int64_t KernelContext::vectorLanes(Type type) const {
  unsigned bits = type.isIndex() ? 64 : std::max(8u, type.getIntOrFloatBitWidth());
  return std::max<int64_t>(1, target.getVectorBits() / bits);
}

bool KernelContext::hasFeature(StringRef feature) const { return target.hasFeature(feature); }

} // namespace relax::kernels
