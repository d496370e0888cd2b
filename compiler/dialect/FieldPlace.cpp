#include "compiler/dialect/FieldPlace.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace relax::ir {
namespace {

/// Every subexpression of a place is at least 0, so divisions are unsigned.
Value emit(OpBuilder &b, Location loc, AffineExpr expr, Value index) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return constant(number.getValue());
  if (isa<AffineDimExpr>(expr))
    return index;
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value lhs = emit(b, loc, binary.getLHS(), index), rhs = emit(b, loc, binary.getRHS(), index);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(b, loc, lhs, rhs);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(b, loc, lhs, rhs);
  case AffineExprKind::Mod:
    return arith::RemUIOp::create(b, loc, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return arith::DivUIOp::create(b, loc, lhs, rhs);
  default:
    return arith::CeilDivUIOp::create(b, loc, lhs, rhs);
  }
}

} // namespace

std::pair<Value, Value> emitFieldPlace(OpBuilder &b, Location loc, const BitPlane &plane,
                                       Value index) {
  // The map was checked when the format was read.
  auto map = cast<AffineMapAttr>(parseAttribute(plane.map, b.getContext())).getValue();
  return {emit(b, loc, map.getResult(0), index), emit(b, loc, map.getResult(1), index)};
}

} // namespace relax::ir
