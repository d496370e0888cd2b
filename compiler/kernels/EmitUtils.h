//===- EmitUtils.h - small emitters that every strategy uses ---------------------------------===//
#pragma once

#include "compiler/kernels/KernelStrategy.h"
#include "compiler/kernels/LaneValue.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace relax::kernels {

/// The value of `expr` as an index, from the values of its symbols; null if one has none. Divisors
/// must be positive. Sums and products wrap: the caller of a kernel has checked them.
mlir::Value emitExpr(mlir::OpBuilder &b, mlir::Location loc, symbolic::Expr expr,
                     const std::map<std::string, mlir::Value> &symbols);

/// a * b + c: one fused operation where the target has it, otherwise a product and a sum. Scalars
/// or vectors of floats.
mlir::Value emitFma(KernelContext &context, mlir::Value a, mlir::Value b, mlir::Value c);

/// for (i = lower; i < upper; i += step) body(i). `context.b` is inside the loop during `body` and
/// after it again afterwards.
void emitLoop(KernelContext &context, mlir::Value lower, mlir::Value upper, mlir::Value step,
              llvm::function_ref<void(mlir::Value)> body);
/// The same with loop-carried values: `body` returns the next ones; the result is the last ones.
llvm::SmallVector<mlir::Value>
emitLoop(KernelContext &context, mlir::Value lower, mlir::Value upper, mlir::Value step,
         mlir::ValueRange inits,
         llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)> body);

/// [lower, upper) in steps of `lanes`, then the rest one by one: `body(i, lanes)` and `body(i, 1)`.
/// Where `lower` is known to be a multiple of `lanes`, so is every i of the first loop.
void emitVectorLoop(KernelContext &context, mlir::Value lower, mlir::Value upper, int64_t lanes,
                    llvm::function_ref<void(mlir::Value, int64_t)> body);

/// Loads or stores along the last dimension: a scalar for lanes = 1, otherwise a vector.
mlir::Value emitLoad(KernelContext &context, mlir::Value memref,
                     llvm::ArrayRef<mlir::Value> indices, int64_t lanes);
void emitStore(KernelContext &context, mlir::Value value, mlir::Value memref,
               llvm::ArrayRef<mlir::Value> indices);

/// The position in `extents` of the row-major number `linear`. The first extent is not read.
llvm::SmallVector<mlir::Value> emitDelinearize(KernelContext &context, mlir::Value linear,
                                               llvm::ArrayRef<mlir::Value> extents);

/// `value` in all lanes: itself if it already is a vector or lanes is 1.
mlir::Value emitSplat(KernelContext &context, mlir::Value value, int64_t lanes);

/// A constant of `type` (an element or a vector of elements, float or integer).
mlir::Value emitConstant(KernelContext &context, mlir::Type type, double value);

/// Scratch memory on the stack, 64-byte aligned, in the kernel's entry block.
mlir::Value emitScratch(KernelContext &context, llvm::ArrayRef<int64_t> shape,
                        mlir::Type elementType);

/// `memref` (identity layout) seen with other extents: the same elements in row-major order.
mlir::Value emitReshapedView(KernelContext &context, mlir::Value memref,
                             llvm::ArrayRef<mlir::Value> extents);

} // namespace relax::kernels
