// One unit of weights as the integer products take it: straight from the packed bytes, or from a
// copy that was taken apart before.
//
// Taking a packed unit apart costs about as much as multiplying it with three rows of activations.
// So calls with many tokens do it once for a chunk of columns, into scratch memory that stays in
// the first-level cache (`unpackUnit`), and all their tiles read that.
//
// Everything that a product needs of a unit is a *field* of 16 rows x 4 bytes:
//
//   scale          f32: d, times S where the unit is one group. Exact: 11 and at most 8 bits.
//   minimum        f32: m, times M where the unit is one group
//   groupScales    S of each of two groups, in the form that UnitDot multiplies with
//   minimumPairs   i16 x 2: M of both groups
//   quads          four columns each: bytes, the unsigned operand of vpdpbusd with VNNI
//
// A copied unit is its fields one after the other.
#pragma once

#include "compiler/kernels/contraction/UnitReader.h"

namespace relax::kernels {

/// What a weight, as the products take it, must still be reduced by.
int64_t remainingOffset(const VectorUnit &unit, const PackedLayout &layout);

/// Which fields a layout's units have; numbers count fields from the unit's begin, -1: none.
struct UnitFields {
  explicit UnitFields(const PackedLayout &layout);

  static constexpr int64_t fieldBytes = 4 * PackedLayout::rows;
  static constexpr int64_t numQuads = 8;

  int64_t scale = 0;
  int64_t minimum = -1, groupScales = -1, minimumPairs = -1;
  int64_t quads = -1;
  int64_t count = 0;

  int64_t bytes() const { return count * fieldBytes; }
};

class UnitWeights {
public:
  virtual ~UnitWeights() = default;
  /// A field of rows firstRow .. firstRow + lanes.
  virtual mlir::Value field(int64_t number, int64_t firstRow) = 0;
};

/// From the packed bytes.
class PackedUnitWeights final : public UnitWeights {
public:
  PackedUnitWeights(const VectorEmitter &e, const PackedLayout &layout, const UnitFields &fields,
                    const UnitPlace &place)
      : e(e), layout(layout), fields(fields), reader(e, layout, place) {}

  mlir::Value field(int64_t number, int64_t firstRow) override;
  void prefetch(int64_t distance) const { reader.prefetch(distance); }

private:
  mlir::Value scale(int64_t firstRow);
  mlir::Value minimum(int64_t firstRow);
  mlir::Value groupScale(int64_t group, int64_t firstRow);

  const VectorEmitter &e;
  const PackedLayout &layout;
  const UnitFields &fields;
  UnitReader reader;
};

/// From a copy at byte `start` of an i8 memref.
class CopiedUnitWeights final : public UnitWeights {
public:
  CopiedUnitWeights(const VectorEmitter &e, const UnitFields &fields, mlir::Value copy,
                    mlir::Value start)
      : e(e), fields(fields), copy(copy), start(start) {}

  mlir::Value field(int64_t number, int64_t firstRow) override;

private:
  mlir::Type elementOf(int64_t number) const;

  const VectorEmitter &e;
  const UnitFields &fields;
  mlir::Value copy, start;
};

/// Copies all 16 rows of a unit to byte `start` of `copy`.
void unpackUnit(const VectorEmitter &e, const UnitFields &fields, PackedUnitWeights &weights,
                mlir::Value copy, mlir::Value start);

} // namespace relax::kernels
