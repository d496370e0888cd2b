#include "tools/relax/RunSignature.h"

#include "tools/relax/Inspect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace relax::tool {
namespace {

using artifact::DType;
using artifact::Function;
using artifact::Guard;
using artifact::noSlot;
using artifact::Slot;
using artifact::SlotOp;
using artifact::TypePattern;
using runtime::Value;
using SlotValues = std::vector<std::optional<int64_t>>;

std::optional<int64_t> dimensionOf(const Value &value, int64_t axis) {
  const std::span<const int64_t> dims = value.isTensor()  ? value.asTensor().dims
                                        : value.isShape() ? value.asShape()
                                                          : std::span<const int64_t>();
  if (axis < 0 || static_cast<size_t>(axis) >= dims.size())
    return std::nullopt;
  return dims[static_cast<size_t>(axis)];
}

std::optional<int64_t> combined(SlotOp::Kind kind, int64_t a, int64_t b) {
  int64_t result = 0;
  switch (kind) {
  case SlotOp::Add:
    return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case SlotOp::Sub:
    return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case SlotOp::Mul:
    return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
  case SlotOp::FloorDiv:
  case SlotOp::CeilDiv:
  case SlotOp::Mod: {
    if (b <= 0)
      return std::nullopt;
    const int64_t floor = a / b - (a % b < 0), rest = a - floor * b;
    return kind == SlotOp::FloorDiv ? floor : kind == SlotOp::Mod ? rest : floor + (rest != 0);
  }
  case SlotOp::Min:
    return std::min(a, b);
  case SlotOp::Max:
    return std::max(a, b);
  default:
    return std::nullopt;
  }
}

/// The values of slots as far as the symbols and the given inputs say them.
SlotValues slotValues(const Function &function, const SymbolValues &symbols,
                      const std::vector<Value> &inputs) {
  SlotValues values(function.slots.size());
  for (const artifact::Symbol &symbol : function.symbols)
    if (const auto given = symbols.find(symbol.name); given != symbols.end())
      values[symbol.slot] = given->second;
  for (size_t i = 0; i < values.size(); ++i) {
    const SlotOp &op = function.slots[i];
    if (op.kind == SlotOp::Constant)
      values[i] = op.a;
    else if (op.kind == SlotOp::Dimension) {
      if (const auto dim = dimensionOf(inputs[static_cast<size_t>(op.a)], op.b))
        values[i] = dim;
    } else if (op.combines() && !values[i]) {
      const auto a = values[static_cast<size_t>(op.a)], b = values[static_cast<size_t>(op.b)];
      if (a && b)
        values[i] = combined(op.kind, *a, *b);
    }
  }
  return values;
}

/// What a parameter of either kind of function takes.
TypePattern patternOf(const Function &function, size_t index) {
  const artifact::Parameter &parameter = function.parameters[index];
  if (function.general)
    return function.patterns[parameter.pattern];
  TypePattern pattern;
  pattern.kind = TypePattern::Tensor;
  pattern.dtype = parameter.type.dtype;
  pattern.dims = parameter.type.dims;
  return pattern;
}

class Filler {
public:
  Filler(const Function &function, const SlotValues &values, llm::Random &random)
      : function(function), values(values), random(random) {}

  Expected<Value> fill(const std::string &name, const TypePattern &pattern, int64_t limit) {
    const auto missing = [&](const std::string &why) {
      return Status(StatusCode::InvalidArgument,
                    fmt::format("input '{}': {}; give it by --input {}=…", name, why, name));
    };
    if (pattern.kind == TypePattern::Tuple) {
      std::vector<Value> fields;
      for (const uint32_t field : pattern.fields) {
        auto value = fill(name, function.patterns[field], limit);
        if (!value)
          return value;
        fields.push_back(std::move(*value));
      }
      return Value::tuple(std::move(fields));
    }
    const bool isTensor = pattern.kind == TypePattern::Tensor;
    if (!isTensor && pattern.kind != TypePattern::Shape)
      return missing("only tensors, shapes and tuples are made up");
    if (pattern.anyRank || (isTensor && pattern.anyDType))
      return missing("its rank or element type is not known");
    std::vector<int64_t> dims;
    for (size_t axis = 0; axis < pattern.dims.size(); ++axis) {
      const Slot slot = pattern.dims[axis];
      if (slot == noSlot || !values[slot])
        return missing(fmt::format("its dimension {} is {}, which is not known{}", axis,
                                   slot == noSlot ? "?" : slotText(function, slot), hint(slot)));
      if (*values[slot] < 0)
        return missing(fmt::format("its dimension {}, {}, is {}", axis, slotText(function, slot),
                                   *values[slot]));
      dims.push_back(*values[slot]);
    }
    if (!isTensor)
      return Value::shape(dims);
    auto array = randomArray(pattern.dtype, std::move(dims), std::max<int64_t>(limit, 1), random);
    if (!array)
      return std::move(array.takeStatus()).withContext("input '" + name + "'");
    return valueOf(std::move(*array));
  }

private:
  [[nodiscard]] std::string hint(Slot slot) const {
    for (const artifact::Symbol &symbol : function.symbols)
      if (symbol.slot == slot)
        return fmt::format(" (--symbol {}=…)", symbol.name);
    return "";
  }

  const Function &function;
  const SlotValues &values;
  llm::Random &random;
};

} // namespace

std::vector<std::string> symbolNames(const Function &function) {
  std::vector<std::string> names;
  for (const artifact::Symbol &symbol : function.symbols)
    if (symbol.origin.empty() && std::ranges::find(names, symbol.name) == names.end())
      names.push_back(symbol.name);
  return names;
}

std::optional<DType> parameterDType(const Function &function, size_t index) {
  const TypePattern pattern = patternOf(function, index);
  if (pattern.kind != TypePattern::Tensor || pattern.anyDType)
    return std::nullopt;
  return pattern.dtype;
}

std::string parameterText(const Function &function, size_t index) {
  const TypePattern pattern = patternOf(function, index);
  std::vector<std::string> dims;
  for (const Slot slot : pattern.dims)
    dims.push_back(slot == noSlot ? "?" : slotText(function, slot));
  const std::string shape = pattern.anyRank ? "*" : fmt::format("{}", fmt::join(dims, ", "));
  switch (pattern.kind) {
  case TypePattern::Tensor:
    return fmt::format("{}[{}]", pattern.anyDType ? "any" : artifact::name(pattern.dtype), shape);
  case TypePattern::Shape:
    return fmt::format("shape [{}]", shape);
  case TypePattern::Tuple:
    return fmt::format("a tuple of {}", pattern.fields.size());
  case TypePattern::Function:
    return fmt::format("a function of {} values", pattern.numParameters);
  default:
    return "any value";
  }
}

Status fillInputs(const Function &function, const SymbolValues &symbols, uint64_t seed,
                  std::vector<Value> &inputs) {
  const SlotValues values = slotValues(function, symbols, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].isNothing())
      continue;
    int64_t limit = 10;
    for (const Guard &guard : function.guards)
      if (guard.kind == Guard::ValuesInRange && guard.parameter == static_cast<int32_t>(i))
        limit = values[guard.a].value_or(limit);
    // Each input has numbers of its own, whichever others are given.
    llm::Random random(seed + 0x9e3779b97f4a7c15u * (i + 1));
    auto value = Filler(function, values, random)
                     .fill(function.parameters[i].name, patternOf(function, i), limit);
    if (!value)
      return value.takeStatus();
    inputs[i] = std::move(*value);
  }
  return {};
}

} // namespace relax::tool
