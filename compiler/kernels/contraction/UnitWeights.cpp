#include "compiler/kernels/contraction/UnitWeights.h"

using namespace mlir;

namespace relax::kernels {

using Dot = VectorUnit::Dot;

int64_t remainingOffset(const VectorUnit &unit, const PackedLayout &layout) {
  return layout.isSigned() && unit.dot == Dot::Vnni ? 128 : layout.offset();
}

UnitFields::UnitFields(const PackedLayout &layout) {
  bool inGroups = layout.hasIntegers() && layout.groups() == 2;
  auto take = [&](int64_t &field, int64_t number = 1) {
    field = count;
    count += number;
  };
  take(scale);
  if (layout.hasMinimum())
    take(minimum);
  if (inGroups) {
    take(groupScales, 2);
    if (layout.hasMinimum())
      take(minimumPairs);
  }
  take(quads, numQuads);
}

Value PackedUnitWeights::field(int64_t number, int64_t firstRow) {
  if (number == fields.scale)
    return scale(firstRow);
  if (number == fields.minimum)
    return minimum(firstRow);
  if (number == fields.minimumPairs)
    return reader.minimumPairs(firstRow);
  if (number < fields.quads)
    return groupScale(number - fields.groupScales, firstRow);
  Value stored = reader.quad(number - fields.quads, firstRow);
  if (layout.isSigned() && e.unit.dot == Dot::Vnni)
    return e.bitXor(stored, e.integer(stored.getType(), 128));
  return stored;
}

Value PackedUnitWeights::scale(int64_t firstRow) {
  Value scale = reader.scales(firstRow);
  if (!layout.hasIntegers() || layout.groups() == 2)
    return scale;
  return e.mulf(scale, e.toFloat(reader.groupIntegers(reader.scalePairs(firstRow), 0)));
}

Value PackedUnitWeights::minimum(int64_t firstRow) {
  Value minimum = reader.minimums(firstRow);
  if (!layout.hasIntegers() || layout.groups() == 2)
    return minimum;
  return e.mulf(minimum, e.toFloat(reader.groupIntegers(reader.minimumPairs(firstRow), 0)));
}

Value PackedUnitWeights::groupScale(int64_t group, int64_t firstRow) {
  Value pairs = reader.scalePairs(firstRow);
  return e.unit.dot == Dot::MultiplyAdd ? reader.groupPairs(pairs, group)
                                        : reader.groupIntegers(pairs, group);
}

Type CopiedUnitWeights::elementOf(int64_t number) const {
  if (number == fields.scale || number == fields.minimum)
    return e.b.getF32Type();
  if (number == fields.minimumPairs)
    return e.b.getI16Type();
  if (number < fields.quads)
    return e.unit.dot == Dot::MultiplyAdd ? e.b.getI16Type() : e.b.getI32Type();
  return e.b.getI8Type();
}

Value CopiedUnitWeights::field(int64_t number, int64_t firstRow) {
  Value at = e.offset(start, number * UnitFields::fieldBytes + 4 * firstRow);
  return e.loadBytes(copy, at, 4 * e.unit.lanes, elementOf(number));
}

void unpackUnit(const VectorEmitter &e, const UnitFields &fields, PackedUnitWeights &weights,
                Value copy, Value start) {
  VectorType bytes = e.type(e.b.getI8Type(), 4 * e.unit.lanes);
  for (int64_t number = 0; number < fields.count; ++number)
    for (int64_t row = 0; row < PackedLayout::rows; row += e.unit.lanes)
      e.store(e.bitcast(weights.field(number, row), bytes), copy,
              e.offset(start, number * UnitFields::fieldBytes + 4 * row));
}

} // namespace relax::kernels
