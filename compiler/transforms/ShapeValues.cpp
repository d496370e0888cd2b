#include "compiler/transforms/ShapeValues.h"

#include "compiler/symbolic/Prove.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using relax::symbolic::Expr;
using relax::symbolic::Proof;

namespace relax::transforms {
namespace {

/// The type of a tensor whose elements are followed; null for any other.
RankedTensorType followedType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isSignlessInteger() || !tensor.hasStaticShape() ||
      tensor.getNumElements() > ShapeValues::maxElements)
    return {};
  return tensor;
}

/// Where in an operand the element is that broadcasting puts at row-major place `index` of
/// `result`.
int64_t broadcastIndex(int64_t index, RankedTensorType result, RankedTensorType operand) {
  int64_t place = 0, stride = 1;
  for (int64_t back = 1; back <= result.getRank(); ++back) {
    int64_t extent = result.getDimSize(result.getRank() - back);
    int64_t coordinate = index % extent;
    index /= extent;
    if (back > operand.getRank())
      continue;
    int64_t size = operand.getDimSize(operand.getRank() - back);
    place += size == 1 ? 0 : coordinate * stride;
    stride *= size;
  }
  return place;
}

/// The axis of an op on vectors: only 0 makes sense.
bool isAxisZero(Operation *op) {
  auto axis = op->getAttrOfType<IntegerAttr>("axis");
  return !axis || axis.getInt() == 0 || axis.getInt() == -1;
}

} // namespace

std::optional<ShapeValues::Elements> ShapeValues::whole(Value value) const {
  const Elements *elements = find(value);
  if (!elements || !llvm::all_of(*elements, [](Expr expr) { return bool(expr); }))
    return std::nullopt;
  return *elements;
}

std::optional<SmallVector<int64_t>> ShapeValues::constants(Value value) const {
  const Elements *elements = find(value);
  if (!elements || !llvm::all_of(*elements, [](Expr expr) { return expr && expr.isConstant(); }))
    return std::nullopt;
  return llvm::map_to_vector(*elements, [](Expr expr) { return expr.constantValue(); });
}

Expr ShapeValues::fitting(Expr expr, Type elementType) {
  if (!expr)
    return expr;
  unsigned width = elementType.getIntOrFloatBitWidth();
  if (width >= 64)
    return expr;
  int64_t most = width == 1 ? 1 : (int64_t(1) << (width - 1)) - 1;
  int64_t least = width == 1 ? 0 : -most - 1;
  symbolic::Bounds bounds = symbolic::bounds(expr, facts);
  return bounds.lo && bounds.hi && *bounds.lo >= least && *bounds.hi <= most ? expr : Expr();
}

void ShapeValues::follow(Operation *op) {
  if (op->getName().getStringRef() == "relax.split") {
    // Parts of a vector, one after the other.
    const Elements *whole = find(op->getOperand(0));
    size_t first = 0;
    for (Value part : op->getResults()) {
      RankedTensorType type = followedType(part.getType());
      if (!whole || !type || type.getRank() != 1 || first + type.getNumElements() > whole->size())
        return;
      Elements elements(ArrayRef<Expr>(*whole).slice(first, type.getNumElements()));
      first += type.getNumElements();
      known[part] = std::move(elements);
      whole = find(op->getOperand(0)); // The map may have moved it.
    }
    return;
  }
  if (op->getNumResults() != 1 || op->getNumRegions() != 0)
    return;
  RankedTensorType type = followedType(op->getResult(0).getType());
  if (!type)
    return;
  std::optional<Elements> elements = evaluate(op);
  if (!elements || static_cast<int64_t>(elements->size()) != type.getNumElements())
    return;
  for (Expr &expr : *elements)
    expr = fitting(expr, type.getElementType());
  if (llvm::any_of(*elements, [](Expr expr) { return bool(expr); }))
    known[op->getResult(0)] = std::move(*elements);
}

std::optional<ShapeValues::Elements> ShapeValues::evaluate(Operation *op) {
  if (isa<arith::ConstantOp>(op))
    return constantElements(op);
  if (auto convert = dyn_cast<ir::ShapeToTensorOp>(op)) {
    auto shape = cast<ir::ShapeType>(convert.getShape().getType());
    if (!shape.hasRank())
      return std::nullopt;
    return Elements(shape.getDimsOrUnknown());
  }
  StringRef name = op->getName().getStringRef();
  if (!name.consume_front("relax.") || op->getNumOperands() == 0)
    return std::nullopt;
  using Method = std::optional<Elements> (ShapeValues::*)(Operation *);
  Method method =
      llvm::StringSwitch<Method>(name)
          .Cases({"add", "subtract", "multiply", "divide", "floor_divide", "modulo", "minimum"},
                 &ShapeValues::elementwise)
          .Cases({"maximum", "negate", "abs", "where", "cast", "equal", "not_equal", "less"},
                 &ShapeValues::elementwise)
          .Cases({"less_equal", "greater", "greater_equal", "logical_not", "logical_and"},
                 &ShapeValues::elementwise)
          .Cases({"logical_or", "broadcast_to"}, &ShapeValues::elementwise)
          .Cases({"concat", "stack"}, &ShapeValues::concatenate)
          .Case("take", &ShapeValues::take)
          .Case("slice", &ShapeValues::slice)
          .Cases({"prod", "sum", "max", "min"}, &ShapeValues::reduce)
          .Default(nullptr);
  if (method)
    return (this->*method)(op);
  // The same elements in the same order.
  static constexpr StringLiteral views[] = {"reshape", "view",       "squeeze", "unsqueeze",
                                            "flatten", "match_cast", "erase"};
  const Elements *elements = find(op->getOperand(0));
  if (elements && llvm::is_contained(views, name))
    return *elements;
  return std::nullopt;
}

std::optional<ShapeValues::Elements> ShapeValues::constantElements(Operation *op) {
  DenseIntElementsAttr values;
  if (!matchPattern(op, m_Constant(&values)))
    return std::nullopt;
  bool isBool = values.getElementType().isInteger(1);
  Elements elements;
  for (const APInt &value : values.getValues<APInt>()) {
    if (!isBool && !value.isSignedIntN(64))
      return std::nullopt;
    elements.push_back(context.constant(isBool ? static_cast<int64_t>(value.getZExtValue())
                                               : value.getSExtValue()));
  }
  return elements;
}

std::optional<ShapeValues::Elements> ShapeValues::elementwise(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<const Elements *> operands;
  SmallVector<RankedTensorType> types;
  for (Value operand : op->getOperands()) {
    operands.push_back(find(operand));
    types.push_back(followedType(operand.getType()));
    if (!types.back())
      return std::nullopt;
  }
  StringRef name = op->getName().stripDialect();
  // Only to bool, and between integers, are the numbers the same ones.
  if (name == "cast" && type.getElementType().isInteger(1) &&
      !types[0].getElementType().isInteger(1))
    return std::nullopt;
  Elements result;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    SmallVector<Expr> values;
    for (auto [elements, operandType] : llvm::zip(operands, types))
      values.push_back(elements ? (*elements)[broadcastIndex(i, type, operandType)] : Expr());
    result.push_back(combine(name, values));
  }
  return result;
}

Expr ShapeValues::compare(StringRef name, Expr a, Expr b) {
  Proof proof;
  if (name == "equal" || name == "not_equal")
    proof = symbolic::proveEqual(a, b, facts);
  else if (name == "less")
    proof = symbolic::proveLess(a, b, facts);
  else if (name == "less_equal")
    proof = symbolic::proveLessEqual(a, b, facts);
  else if (name == "greater")
    proof = symbolic::proveLess(b, a, facts);
  else
    proof = symbolic::proveLessEqual(b, a, facts);
  if (proof == Proof::Unknown)
    return {};
  return context.constant((proof == Proof::Proved) != (name == "not_equal"));
}

Expr ShapeValues::combine(StringRef name, ArrayRef<Expr> v) {
  if (name == "where") {
    if (!v[0] || !v[0].isConstant())
      return v[1] && v[1] == v[2] ? v[1] : Expr();
    return v[0].constantValue() ? v[1] : v[2];
  }
  if (name == "logical_and" || name == "logical_or") {
    // One of them may decide.
    bool decisive = name == "logical_or";
    for (Expr value : v)
      if (value && value.isConstant() && (value.constantValue() != 0) == decisive)
        return value;
    return v[0] && v[0].isConstant() ? v[1] : v[1] && v[1].isConstant() ? v[0] : Expr();
  }
  if (!llvm::all_of(v, [](Expr value) { return bool(value); }))
    return {};
  Expr zero = context.constant(0);
  auto isPositive = [&](Expr value) {
    return symbolic::proveLess(zero, value, facts) == Proof::Proved;
  };
  auto isNatural = [&](Expr value) {
    return symbolic::proveLessEqual(zero, value, facts) == Proof::Proved;
  };
  if (name == "cast" || name == "broadcast_to")
    return v[0];
  if (name == "add")
    return v[0] + v[1];
  if (name == "subtract")
    return v[0] - v[1];
  if (name == "multiply")
    return v[0] * v[1];
  if (name == "negate")
    return zero - v[0];
  if (name == "minimum")
    return context.min(v[0], v[1]);
  if (name == "maximum")
    return context.max(v[0], v[1]);
  if (name == "abs")
    return isNatural(v[0]) ? v[0] : Expr();
  // Integer division truncates; of natural numbers it is the floor. By 0 it isn't ours.
  if (name == "divide")
    return isPositive(v[1]) && isNatural(v[0]) ? context.floorDiv(v[0], v[1]) : Expr();
  if (name == "floor_divide")
    return isPositive(v[1]) ? context.floorDiv(v[0], v[1]) : Expr();
  if (name == "modulo")
    return isPositive(v[1]) ? context.mod(v[0], v[1]) : Expr();
  if (name == "logical_not")
    return v[0].isConstant() ? context.constant(v[0].constantValue() == 0) : Expr();
  return compare(name, v[0], v[1]);
}

std::optional<ShapeValues::Elements> ShapeValues::concatenate(Operation *op) {
  // Vectors one after the other, or scalars side by side: either way in the order of the operands.
  bool stack = op->getName().stripDialect() == "stack";
  if (!isAxisZero(op))
    return std::nullopt;
  Elements result;
  for (Value operand : op->getOperands()) {
    RankedTensorType type = followedType(operand.getType());
    if (!type || type.getRank() != (stack ? 0 : 1))
      return std::nullopt;
    if (const Elements *elements = find(operand))
      result.append(*elements);
    else
      result.append(type.getNumElements(), Expr());
  }
  return result;
}

std::optional<ShapeValues::Elements> ShapeValues::take(Operation *op) {
  const Elements *table = find(op->getOperand(0));
  std::optional<SmallVector<int64_t>> indices = constants(op->getOperand(1));
  if (!table || !indices || !isAxisZero(op) ||
      cast<RankedTensorType>(op->getOperand(0).getType()).getRank() != 1)
    return std::nullopt;
  auto size = static_cast<int64_t>(table->size());
  Elements result;
  for (int64_t index : *indices) {
    // One that is out of range is an error at run time.
    if (index < -size || index >= size)
      return std::nullopt;
    result.push_back((*table)[index < 0 ? index + size : index]);
  }
  return result;
}

std::optional<ShapeValues::Elements> ShapeValues::slice(Operation *op) {
  const Elements *elements = find(op->getOperand(0));
  auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axes");
  auto starts = op->getAttrOfType<ir::ShapeAttr>("starts");
  auto ends = op->getAttrOfType<ir::ShapeAttr>("ends");
  if (!elements || !axes || !starts || !ends || axes.size() != 1 || starts.getDims().size() != 1 ||
      ends.getDims().size() != 1 ||
      cast<RankedTensorType>(op->getOperand(0).getType()).getRank() != 1)
    return std::nullopt;
  Expr first = starts.getDims()[0], last = ends.getDims()[0];
  if (!first || !last || !first.isConstant() || !last.isConstant())
    return std::nullopt;
  auto steps = op->getAttrOfType<DenseI64ArrayAttr>("steps");
  int64_t step = steps && steps.size() == 1 ? steps[0] : 1;
  auto size = static_cast<int64_t>(elements->size());
  if (step == 0 || step < -maxElements || step > maxElements)
    return std::nullopt;
  // As NumPy: negative places count from the end, then both are clamped.
  int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;
  auto place = [&](int64_t value) {
    return std::clamp(value < 0 && value >= -size ? value + size : value, low, high);
  };
  int64_t begin = place(first.constantValue()), end = place(last.constantValue());
  Elements result;
  for (int64_t i = begin; step > 0 ? i < end : i > end; i += step)
    result.push_back((*elements)[i]);
  return result;
}

std::optional<ShapeValues::Elements> ShapeValues::reduce(Operation *op) {
  std::optional<Elements> elements = whole(op->getOperand(0));
  if (!elements || cast<RankedTensorType>(op->getOperand(0).getType()).getRank() > 1)
    return std::nullopt;
  auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axes");
  if (axes && axes.empty())
    return elements;
  StringRef name = op->getName().stripDialect();
  if (elements->empty() && (name == "max" || name == "min"))
    return std::nullopt;
  Expr result = elements->empty() ? context.constant(name == "prod") : elements->front();
  for (Expr value : llvm::drop_begin(*elements, elements->empty() ? 0 : 1))
    result = name == "prod"  ? result * value
             : name == "sum" ? result + value
             : name == "max" ? context.max(result, value)
                             : context.min(result, value);
  return Elements{result};
}

} // namespace relax::transforms
