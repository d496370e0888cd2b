//===- FieldPlace.h - where a field of a weight format begins, as index arithmetic ------------===//
#pragma once

#include "compiler/dialect/BlockFormat.h"

#include "mlir/IR/Builders.h"

namespace relax::ir {

/// Byte and bit of the plane's field of `index` (of type index, not negative), both of type index.
std::pair<mlir::Value, mlir::Value> emitFieldPlace(mlir::OpBuilder &b, mlir::Location loc,
                                                   const BitPlane &plane, mlir::Value index);

} // namespace relax::ir
