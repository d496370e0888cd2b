//===- VectorMath.h - emitters of vector arithmetic for the attention kernels -----------------===//
//
// Everything here is emitted as plain `arith`, `math.fma`, `vector` and `scf` operations: no call
// remains in the object code. Scalars and vectors of any length take the same operations per
// element, so a tail computes what the main part would have computed.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace relax::kernels::attention {

/// What these kernels need to know of the machine.
struct VectorTarget {
  int64_t vectorBits = 128;
  /// Has a fused multiply-add; without it the product is rounded before the sum.
  bool fma = false;

  int64_t lanes(int64_t elementBits) const { return vectorBits / elementBits; }
  /// Vector registers that the instruction set names.
  int64_t registers() const { return vectorBits >= 512 ? 32 : 16; }
};

/// A run of `lanes` consecutive elements that starts at `offset`.
struct Piece {
  int64_t offset;
  int64_t lanes;
};
/// [0, extent) as whole vectors and one shorter rest.
llvm::SmallVector<Piece> splitIntoPieces(int64_t extent, int64_t lanes);

/// The same, at an offset that is known only when the code runs.
struct Run {
  mlir::Value offset;
  int64_t lanes;
};

/// Shorthand over an OpBuilder; the methods are named after what they emit.
class VectorMath {
public:
  VectorMath(mlir::OpBuilder &builder, mlir::Location loc, VectorTarget target)
      : b(loc, builder), target(target) {}

  mlir::ImplicitLocOpBuilder b;
  const VectorTarget target;

  // Index arithmetic. Operands are not negative, so unsigned division is exact.
  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value lhs, mlir::Value rhs);
  mlir::Value add(mlir::Value lhs, int64_t rhs);
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mul(mlir::Value lhs, int64_t rhs);
  mlir::Value div(mlir::Value lhs, mlir::Value rhs);
  mlir::Value div(mlir::Value lhs, int64_t rhs);
  mlir::Value rem(mlir::Value lhs, mlir::Value rhs);
  mlir::Value min(mlir::Value lhs, mlir::Value rhs);
  mlir::Value max(mlir::Value lhs, mlir::Value rhs);
  mlir::Value lessThan(mlir::Value lhs, mlir::Value rhs);

  // Memory. Indices address the first element; lanes run along the last dimension.
  mlir::Value loadIndex(mlir::Value memref, mlir::ValueRange indices);
  mlir::Value load(mlir::Value memref, mlir::ValueRange indices, int64_t lanes);
  /// Loads f32 or f16 elements as f32.
  mlir::Value loadAsF32(mlir::Value memref, mlir::ValueRange indices, int64_t lanes);
  /// Loads one f32 element into all lanes.
  mlir::Value loadSplat(mlir::Value memref, mlir::ValueRange indices, int64_t lanes);
  void store(mlir::Value value, mlir::Value memref, mlir::ValueRange indices);
  /// f32 lanes as what `memref` holds: f32 or f16 (rounded to nearest, ties to even).
  mlir::Value asElementOf(mlir::Value memref, mlir::Value value);

  // Loops of step `step`; the builder stands inside during `body` and after the loop afterwards.
  using Body = llvm::function_ref<void(mlir::Value)>;
  using CarryingBody =
      llvm::function_ref<llvm::SmallVector<mlir::Value>(mlir::Value, mlir::ValueRange)>;
  void loop(mlir::Value lower, mlir::Value upper, int64_t step, Body body);
  llvm::SmallVector<mlir::Value> loop(mlir::Value lower, mlir::Value upper, mlir::ValueRange inits,
                                      CarryingBody body);
  /// Covers [0, extent) by blocks of up to `vectors` runs of `lanes` elements, the last block and
  /// run shorter where they must be. Many blocks are a loop, few are written out.
  void blocks(int64_t extent, int64_t lanes, int64_t vectors,
              llvm::function_ref<void(llvm::ArrayRef<Run>)> body);
  void ifThen(mlir::Value condition, llvm::function_ref<void()> body);

  // Floating point; `like` gives the type of a constant.
  mlir::Type vectorOf(mlir::Type element, int64_t lanes);
  mlir::Value constant(mlir::Type type, double value);
  mlir::Value f32(double value, int64_t lanes);
  mlir::Value splat(mlir::Value scalar, int64_t lanes);
  mlir::Value addF(mlir::Value lhs, mlir::Value rhs);
  mlir::Value subF(mlir::Value lhs, mlir::Value rhs);
  mlir::Value mulF(mlir::Value lhs, mlir::Value rhs);
  /// lhs * rhs + addend, rounded once where the target can.
  mlir::Value fma(mlir::Value lhs, mlir::Value rhs, mlir::Value addend);
  /// lhs > rhs ? lhs : rhs. Gives rhs if either is NaN: callers must see NaN by other means.
  mlir::Value greater(mlir::Value lhs, mlir::Value rhs);
  /// The greatest lane of a vector, in every lane.
  mlir::Value greatestLane(mlir::Value vector);
  /// The sum of a vector's lanes as a tree of halves, in every lane.
  mlir::Value sumOfLanes(mlir::Value vector);

  /// 2^x for f32 x <= 0, within 1 ulp (relative error below 1e-7); 1 for 0; 0 for x < -126, minus
  /// infinity included; NaN for NaN.
  mlir::Value exp2NonPositive(mlir::Value x);
  /// Sine and cosine of f64 `angle` in radians, |angle| < 2^30, absolute error below 2^-50 where
  /// |angle| < 2^20.
  std::pair<mlir::Value, mlir::Value> sineCosine(mlir::Value angle);

private:
  mlir::Value reduceLanes(mlir::Value vector,
                          llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);
  /// Horner's rule from the highest coefficient, which is the last.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients);
};

} // namespace relax::kernels::attention
