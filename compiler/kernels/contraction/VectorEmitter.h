// Short names for the ops that the contraction kernels are written in: byte-addressed vector loads,
// lane-wise arithmetic, loops. Knows what the target's vector unit can do, and nothing of weights.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace relax::kernels {

/// The parts of a target that the contraction kernels choose by.
struct VectorUnit {
  /// How four products of bytes are summed in a 32-bit lane.
  enum class Dot {
    Generic,     ///< Shifts and 32-bit multiplications; runs anywhere.
    MultiplyAdd, ///< pmaddubsw and pmaddwd (SSSE3, AVX2, AVX512BW).
    Vnni         ///< vpdpbusd.
  };
  Dot dot = Dot::Generic;
  /// float32 lanes of a register: 4, 8 or 16.
  int64_t lanes = 4;
  /// Vector registers.
  int64_t registers = 16;
  bool hasFma = false;
  bool hasByteShuffle = false; ///< pshufb for whole registers.

  /// From a target's feature names and the width of its vector registers.
  static VectorUnit fromFeatures(llvm::function_ref<bool(llvm::StringRef)> hasFeature,
                                 int64_t vectorBits);
};

/// A builder at a location. All vectors have the lanes that the types of their operands say.
class VectorEmitter {
public:
  VectorEmitter(mlir::OpBuilder &b, mlir::Location loc, const VectorUnit &unit)
      : b(b), loc(loc), unit(unit) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  const VectorUnit unit;

  mlir::VectorType type(mlir::Type element, int64_t lanes) const {
    return mlir::VectorType::get({lanes}, element);
  }
  mlir::Value index(int64_t value) const;
  /// index + constant.
  mlir::Value offset(mlir::Value index, int64_t by) const;
  /// index * constant + constant.
  mlir::Value scaled(mlir::Value index, int64_t by, int64_t plus = 0) const;
  /// A splat (or scalar) integer or float constant.
  mlir::Value integer(mlir::Type type, int64_t value) const;
  mlir::Value real(mlir::Type type, double value) const;

  /// `bytes` bytes at [indices] of an i8 memref, as a vector of `element`.
  mlir::Value loadBytes(mlir::Value memref, mlir::ValueRange indices, int64_t bytes,
                        mlir::Type element) const;
  /// An integer of whole bytes at [indices] of an i8 memref; need not be aligned.
  mlir::Value loadScalar(mlir::Value memref, mlir::ValueRange indices, mlir::Type type) const;
  void storeScalar(mlir::Value value, mlir::Value memref, mlir::ValueRange indices) const;
  mlir::Value load(mlir::Value memref, mlir::ValueRange indices) const;
  mlir::Value loadVector(mlir::Value memref, mlir::ValueRange indices, int64_t lanes) const;
  void store(mlir::Value value, mlir::Value memref, mlir::ValueRange indices) const;

  static constexpr int64_t lineBytes = 64; ///< Of a cache.
  /// Asks for `lines` cache lines from byte `begin` of packed[rowBlock] on, which may lie beyond
  /// it; `locality` 3: into the first-level cache, 2: into the second.
  void prefetchLines(mlir::Value packed, mlir::Value rowBlock, mlir::Value begin, int64_t lines,
                     uint32_t locality = 3) const;

  mlir::Value splat(mlir::Value scalar, int64_t lanes) const;
  mlir::Value bitcast(mlir::Value value, mlir::VectorType type) const;
  mlir::Value intrinsic(mlir::Type result, llvm::StringRef name, mlir::ValueRange operands) const;

  // Integers.
  mlir::Value add(mlir::Value lhs, mlir::Value rhs) const;
  mlir::Value sub(mlir::Value lhs, mlir::Value rhs) const;
  mlir::Value mul(mlir::Value lhs, mlir::Value rhs) const;
  mlir::Value maskBits(mlir::Value value, int64_t mask) const;
  mlir::Value remainder(mlir::Value value, int64_t divisor) const; ///< Unsigned.
  mlir::Value bitOr(mlir::Value lhs, mlir::Value rhs) const;
  mlir::Value bitXor(mlir::Value lhs, mlir::Value rhs) const;
  mlir::Value shiftLeft(mlir::Value value, int64_t by) const;
  mlir::Value shiftRight(mlir::Value value, int64_t by) const;       ///< Unsigned.
  mlir::Value shiftRightSigned(mlir::Value value, int64_t by) const; ///< Signed.

  // Floats.
  mlir::Value mulf(mlir::Value lhs, mlir::Value rhs) const;
  mlir::Value toFloat(mlir::Value integer) const; ///< Signed i32 to f32.
  mlir::Value widen(mlir::Value value) const;     ///< f16 or bf16 to f32.
  /// a * b + c, fused where the target can.
  mlir::Value fma(mlir::Value a, mlir::Value b, mlir::Value c) const;

  /// All of `values` are computed before what follows, and replaced by themselves. Costs no
  /// instruction. LLVM's schedulers and its reassociation would otherwise compute a tile output by
  /// output, keep all weights and activations alive, and spill; and they would reorder loads.
  void fence(llvm::MutableArrayRef<mlir::Value> values) const;

  /// for (i = lower; i < upper; i += step) body(i)
  void loop(mlir::Value lower, mlir::Value upper, int64_t step,
            llvm::function_ref<void(mlir::Value)> body) const;
  using Values = llvm::SmallVector<mlir::Value>;
  Values loop(mlir::Value lower, mlir::Value upper, int64_t step, mlir::ValueRange inits,
              llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body) const;
  void branch(mlir::Value condition, llvm::function_ref<void()> then,
              llvm::function_ref<void()> otherwise = nullptr) const;
  mlir::Value lessEqual(mlir::Value lhs, mlir::Value rhs) const; ///< Signed or index.
  mlir::Value minimum(mlir::Value lhs, mlir::Value rhs) const;   ///< Signed or index.
};

} // namespace relax::kernels
