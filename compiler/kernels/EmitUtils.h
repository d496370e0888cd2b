// Small emitters that every strategy uses.
#pragma once

#include "compiler/kernels/KernelStrategy.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace relax::kernels {

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
/// Where `lower` is a multiple of `lanes`, so is every i of the first loop.
void emitVectorLoop(KernelContext &context, mlir::Value lower, mlir::Value upper, int64_t lanes,
                    llvm::function_ref<void(mlir::Value, int64_t)> body);

/// Loads or stores `lanes` elements along the last dimension; lanes = 1 is a scalar.
mlir::Value emitLoad(KernelContext &context, mlir::Value memref,
                     llvm::ArrayRef<mlir::Value> indices, int64_t lanes);
void emitStore(KernelContext &context, mlir::Value value, mlir::Value memref,
               llvm::ArrayRef<mlir::Value> indices);

/// The position in `extents` of the row-major number `linear`. The first extent is not needed and
/// not read.
llvm::SmallVector<mlir::Value> emitDelinearize(KernelContext &context, mlir::Value linear,
                                               llvm::ArrayRef<mlir::Value> extents);

/// floor(a / b) and a - floor(a / b) * b on index values, b > 0.
mlir::Value emitFloorDiv(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lhs, mlir::Value rhs);
mlir::Value emitMod(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lhs, mlir::Value rhs);

/// `value` in all lanes: itself if it already is a vector or lanes is 1.
mlir::Value emitSplat(KernelContext &context, mlir::Value value, int64_t lanes);

/// A constant of `type` (an element or a vector of elements, float or integer).
mlir::Value emitConstant(KernelContext &context, mlir::Type type, double value);

/// Scratch memory on the stack, 64-byte aligned, in the kernel's entry block.
mlir::Value emitScratch(KernelContext &context, llvm::ArrayRef<int64_t> shape,
                        mlir::Type elementType);

/// A multiple of which `value` is known to be: 1 if nothing is known, 0 for the constant 0.
int64_t knownDivisor(mlir::Value value);

/// The product of all dimensions, or of those in [first, last).
symbolic::Expr elementCount(symbolic::Context &symbols, llvm::ArrayRef<symbolic::Expr> shape);

/// About how many scalar operations one element of `tensor` takes, with everything that it is
/// computed from (reductions times their extents; an unknown extent counts as 1).
symbolic::Expr elementCost(symbolic::Context &symbols, mlir::Value tensor);

} // namespace relax::kernels
