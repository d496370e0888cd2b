#include "tools/relax/RunSignature.h"

#include "tools/relax/Inspect.h"
#include "tools/relax/RunDoor.h"

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

/// The dimensions of a tensor or shape; nothing of anything else.
std::span<const int64_t> dimsOf(const Value &value) {
  return value.isTensor()  ? value.asTensor().dims
         : value.isShape() ? value.asShape()
                           : std::span<const int64_t>();
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

FieldPath partOf(FieldPath path, uint32_t field) {
  path.push_back(field);
  return path;
}

/// What the dimensions of a given value say of the slots that stand for them.
void readDims(const Function &function, const Door &door, const TypePattern &pattern,
              const FieldPath &path, const Value &value, SlotValues &slots) {
  if (pattern.kind == TypePattern::Tuple && value.isTuple()) {
    const std::span<const Value> fields = value.asTuple();
    for (uint32_t i = 0; i < std::min(pattern.fields.size(), fields.size()); ++i) {
      const FieldPath part = partOf(path, i);
      readDims(function, door, door.fieldPattern(pattern, part), part, fields[i], slots);
    }
    return;
  }
  const std::span<const int64_t> dims = dimsOf(value);
  for (size_t axis = 0; axis < std::min(pattern.dims.size(), dims.size()); ++axis)
    if (const Slot slot = pattern.dims[axis]; slot != noSlot && !slots[slot])
      slots[slot] = dims[axis];
}

/// The values of slots as far as the symbols and the given inputs say them.
SlotValues slotValues(const Function &function, const Door &door, const SymbolValues &symbols,
                      const std::vector<Value> &inputs) {
  SlotValues values(function.slots.size());
  for (const artifact::Symbol &symbol : function.symbols)
    if (const auto given = symbols.find(symbol.name); given != symbols.end())
      values[symbol.slot] = given->second;
  for (uint32_t i = 0; i < inputs.size(); ++i)
    readDims(function, door, patternOf(function, i), {i}, inputs[i], values);
  for (size_t i = 0; i < values.size(); ++i) {
    const SlotOp &op = function.slots[i];
    if (op.kind == SlotOp::Constant)
      values[i] = op.a;
    else if (op.kind == SlotOp::Dimension && !values[i]) {
      const std::span<const int64_t> dims = dimsOf(inputs[static_cast<size_t>(op.a)]);
      if (static_cast<size_t>(op.b) < dims.size())
        values[i] = dims[static_cast<size_t>(op.b)];
    } else if (op.combines() && !values[i]) {
      const auto a = values[static_cast<size_t>(op.a)], b = values[static_cast<size_t>(op.b)];
      if (a && b)
        values[i] = combined(op.kind, *a, *b);
    }
  }
  return values;
}

class Filler {
public:
  Filler(const Function &function, const Door &door, const SlotValues &values, llm::Random &random)
      : function(function), door(door), values(values), random(random) {}

  Expected<Value> fill(const std::string &name, const TypePattern &pattern, const FieldPath &path,
                       int64_t limit) {
    const auto missing = [&](const std::string &why) {
      return Status(StatusCode::InvalidArgument,
                    fmt::format("input '{}': {}; give it by --input {}=…", name, why, name));
    };
    if (pattern.kind == TypePattern::Tuple) {
      std::vector<Value> fields;
      for (uint32_t i = 0; i < pattern.fields.size(); ++i) {
        const FieldPath part = partOf(path, i);
        auto value = fill(name, door.fieldPattern(pattern, part), part, limit);
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
  const Door &door;
  const SlotValues &values;
  llm::Random &random;
};

std::string patternText(const Function &function, const Door &door, const TypePattern &pattern,
                        const FieldPath &path) {
  std::vector<std::string> dims, fields;
  for (const Slot slot : pattern.dims)
    dims.push_back(slot == noSlot ? "?" : slotText(function, slot));
  const std::string shape = pattern.anyRank ? "*" : fmt::format("{}", fmt::join(dims, ", "));
  switch (pattern.kind) {
  case TypePattern::Tensor:
    return fmt::format("{}[{}]", pattern.anyDType ? "any" : artifact::name(pattern.dtype), shape);
  case TypePattern::Shape:
    return fmt::format("shape [{}]", shape);
  case TypePattern::Tuple:
    for (uint32_t i = 0; i < pattern.fields.size(); ++i) {
      const FieldPath part = partOf(path, i);
      fields.push_back(patternText(function, door, door.fieldPattern(pattern, part), part));
    }
    return fmt::format("({})", fmt::join(fields, ", "));
  case TypePattern::Function:
    return fmt::format("a function of {} values", pattern.numParameters);
  default:
    return "any value";
  }
}

} // namespace

std::vector<std::string> symbolNames(const Function &function) {
  const Door door(function);
  std::vector<std::string> names;
  for (const artifact::Symbol &symbol : function.symbols)
    if ((symbol.origin.empty() || door.evaluates(symbol.slot)) &&
        std::ranges::find(names, symbol.name) == names.end())
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
  return patternText(function, Door(function), patternOf(function, index),
                     {static_cast<uint32_t>(index)});
}

Status fillInputs(const Function &function, const SymbolValues &symbols, uint64_t seed,
                  std::vector<Value> &inputs) {
  const Door door(function);
  const SlotValues values = slotValues(function, door, symbols, inputs);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].isNothing())
      continue;
    int64_t limit = 10;
    for (const Guard &guard : function.guards)
      if (guard.kind == Guard::ValuesInRange && guard.parameter == static_cast<int32_t>(i))
        limit = values[guard.a].value_or(limit);
    // Each input has numbers of its own, whichever others are given.
    llm::Random random(seed + 0x9e3779b97f4a7c15u * (i + 1));
    auto value = Filler(function, door, values, random)
                     .fill(function.parameters[i].name, patternOf(function, i),
                           {static_cast<uint32_t>(i)}, limit);
    if (!value)
      return value.takeStatus();
    inputs[i] = std::move(*value);
  }
  return {};
}

} // namespace relax::tool
