//===- LaneValue.h - one value in each lane of a vector, as cheaply as it is known -----------===//
//
// The pointwise emitter computes `lanes` neighbouring elements at once. Most of what goes into them
// is the same in all lanes (row numbers, a scale of the row) or counts up from lane to lane
// (positions along the last dimension). Three kinds:
//
//   uniform      one scalar, the same in all lanes
//   consecutive  an integer `base + lane`, kept as the scalar base
//   vector       one element per lane
//
// Integer arithmetic keeps the cheap kinds as long as it can. `divisor` is a number that divides
// the base; with it, floordiv and mod of a consecutive value stay cheap:
//
//   base a multiple of g, lanes <= g, g divides c:
//     (base + lane) floordiv c = base floordiv c                        uniform
//     (base + lane) mod c      = (base mod c) + lane                    consecutive, of divisor g
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace relax::kernels {

struct LaneValue {
  enum class Kind : uint8_t { Uniform, Consecutive, Vector };

  Kind kind = Kind::Uniform;
  mlir::Value value;

  static LaneValue uniform(mlir::Value value) { return {Kind::Uniform, value}; }
  static LaneValue consecutive(mlir::Value base) { return {Kind::Consecutive, base}; }
  static LaneValue vector(mlir::Value value) { return {Kind::Vector, value}; }

  bool isUniform() const { return kind == Kind::Uniform; }
  bool isConsecutive() const { return kind == Kind::Consecutive; }
  bool isVector() const { return kind == Kind::Vector; }
  explicit operator bool() const { return static_cast<bool>(value); }
  bool operator==(const LaneValue &) const = default;
};

/// `value` as a vector of `lanes` elements.
mlir::Value emitVector(mlir::OpBuilder &b, mlir::Location loc, LaneValue value, int64_t lanes);
/// The scalar of one lane.
mlir::Value emitLane(mlir::OpBuilder &b, mlir::Location loc, LaneValue value, int64_t lane);

/// The integer operations whose result may stay cheap.
enum class LaneOp : uint8_t { Add, Sub, Mul, FloorDiv, CeilDiv, Mod };
/// `lhs op rhs` for operands of one integer or index type; division rounds down and divisors are
/// positive.
LaneValue emitLaneOp(mlir::OpBuilder &b, mlir::Location loc, LaneOp op, LaneValue lhs,
                     LaneValue rhs, int64_t lanes);

/// A vector of integers as `base + offsets[lane]`; base null: 0.
struct LaneOffsets {
  mlir::Value base;
  llvm::SmallVector<int64_t> offsets;
};
/// What is known of a vector of index type that was computed from a consecutive value: with base a
/// multiple of 2, `(base + lane) floordiv 2` is base / 2 + (0, 0, 1, 1, ...). Nothing if it isn't
/// of that form. May emit what computes the base.
std::optional<LaneOffsets> laneOffsets(mlir::OpBuilder &b, mlir::Location loc, mlir::Value vector);

/// A number that divides `value`: 1 if nothing is known, 0 for the constant 0.
int64_t knownDivisor(mlir::Value value);
/// The value of a constant integer.
std::optional<int64_t> constantInteger(mlir::Value value);

} // namespace relax::kernels
