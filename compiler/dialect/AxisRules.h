//===- AxisRules.h - what shape rules share that speak of axes and windows --------------------===//
//
// Axes count from the end where they are negative. Dimensions may be unknown (a null expression):
// what is computed from one is unknown, too.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Deduction.h"

namespace relax::ir {

/// `axis` of `type` as a number from 0 up, or an error that names the shape.
mlir::FailureOr<unsigned> axisOf(const Rule &rule, mlir::RankedTensorType type, int64_t axis);

/// Several axes, sorted. An axis that is named twice is an error.
mlir::FailureOr<llvm::SmallVector<unsigned>> axesOf(const Rule &rule, mlir::RankedTensorType type,
                                                    llvm::ArrayRef<int64_t> axes);
/// The same from an attribute that the op's verifier has accepted; none means every axis.
llvm::SmallVector<unsigned> axesOf(mlir::RankedTensorType type,
                                   std::optional<llvm::ArrayRef<int64_t>> axes);
/// The same for one axis.
unsigned axisOf(mlir::RankedTensorType type, int64_t axis);

/// Requires elements of floating point, of integers (bool isn't one), of one of both, or bool.
mlir::LogicalResult requireFloats(const Rule &rule, llvm::StringRef role,
                                  mlir::RankedTensorType type);
mlir::LogicalResult requireNumbers(const Rule &rule, llvm::StringRef role,
                                   mlir::RankedTensorType type);
mlir::LogicalResult requireIntegers(const Rule &rule, llvm::StringRef role,
                                    mlir::RankedTensorType type);
mlir::LogicalResult requireBools(const Rule &rule, llvm::StringRef role,
                                 mlir::RankedTensorType type);
/// Requires that two operands have one element type.
mlir::LogicalResult requireSameElements(const Rule &rule, llvm::StringRef roleA,
                                        mlir::RankedTensorType a, llvm::StringRef roleB,
                                        mlir::RankedTensorType b);
mlir::LogicalResult requireRank(const Rule &rule, llvm::StringRef role, mlir::RankedTensorType type,
                                int64_t rank);

/// times * dim + plus; floordiv and ceildiv of that. Null for null.
symbolic::Expr scaled(symbolic::Expr dim, int64_t times, int64_t plus);
symbolic::Expr floorOf(symbolic::Expr dim, int64_t divisor);
symbolic::Expr ceilOf(symbolic::Expr dim, int64_t divisor);

/// Is `dim` below `limit` whatever its symbols are, all of which are at least 0?
bool surelyBelow(symbolic::Expr dim, int64_t limit);
/// Or at least `limit`?
bool surelyAtLeast(symbolic::Expr dim, int64_t limit);

} // namespace relax::ir
