#include "tests/fuzz/programs/Arguments.h"

#include "compiler/dialect/Relax.h"

#include <cmath>

using namespace mlir;

namespace relax::fuzz {

using interpreter::Scalar;

std::vector<interpreter::Value> Arguments::forCall(TypeRange types, int call) {
  sizes.clear();
  std::vector<interpreter::Value> values;
  for (Type type : types)
    values.push_back(argument(type, call));
  return values;
}

int64_t Arguments::anySize(int call) {
  static constexpr int64_t choices[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17};
  return call % 2 == 0 && !sizes.empty() ? sizes.begin()->second
                                         : choices[below(std::size(choices))];
}

int64_t Arguments::sizeOf(symbolic::Expr dim, int call) {
  if (!dim)
    return anySize(call);
  std::set<std::string> names;
  dim.collectSymbols(names);
  for (const std::string &name : names)
    if (!sizes.contains(name))
      sizes[name] = anySize(call);
  return std::max<int64_t>(symbolic::evaluate(dim, sizes).value_or(0), 0);
}

interpreter::Value Arguments::argument(Type type, int call) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    auto fields = std::make_shared<std::vector<interpreter::Value>>();
    for (Type part : tuple.getTypes())
      fields->push_back(argument(part, call));
    return interpreter::Tuple{std::move(fields)};
  }
  std::vector<int64_t> dims;
  if (auto shape = dyn_cast<ir::ShapeType>(type)) {
    for (symbolic::Expr dim : shape.getDimsOrUnknown())
      dims.push_back(sizeOf(dim, call));
    return interpreter::Shape{std::move(dims)};
  }
  if (auto ranked = dyn_cast<RankedTensorType>(type))
    for (symbolic::Expr dim : ir::shapeOf(ranked))
      dims.push_back(sizeOf(dim, call));
  else // Of any rank: the one that programs expect most.
    dims = {anySize(call), anySize(call)};
  return tensor(cast<TensorType>(type).getElementType(), std::move(dims));
}

interpreter::TensorPointer Arguments::tensor(Type element, std::vector<int64_t> dims) {
  interpreter::TensorPointer tensor = interpreter::makeTensor(element, std::move(dims));
  bool wild = below(8) == 0;
  for (Scalar &each : tensor->elements)
    each = number(element, wild);
  return tensor;
}

Scalar Arguments::number(Type element, bool wild) {
  if (element.isInteger(1))
    return interpreter::integerScalar(below(2));
  if (!isa<FloatType>(element))
    return interpreter::integerScalar(
        wild ? interpreter::wrapToWidth(static_cast<int64_t>(random()),
                                        element.getIntOrFloatBitWidth())
             : below(9) - 3);
  if (wild && below(6) == 0) {
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, 1e-30, 3e4};
    return interpreter::realScalar(
        interpreter::roundToType(special[below(std::size(special))], element));
  }
  return interpreter::realScalar(static_cast<double>(below(65) - 32) / 8);
}

std::string Arguments::sizesText() const {
  std::string text;
  for (const auto &[name, value] : sizes)
    text += (text.empty() ? " with " : ", ") + name + " = " + std::to_string(value);
  return text;
}

} // namespace relax::fuzz
