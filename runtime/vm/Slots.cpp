//===- Slots.cpp ------------------------------------------------------------------------------===//
#include "runtime/vm/Slots.h"

#include "runtime/support/Text.h"

#include <algorithm>
#include <vector>

namespace relax::runtime {

using artifact::Function;
using artifact::SlotOp;
using artifact::Symbol;

namespace {

/// Division by b > 0, rounded towards minus infinity.
int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

} // namespace

bool applySlot(SlotOp::Kind kind, int64_t a, int64_t b, int64_t &out) {
  switch (kind) {
  case SlotOp::Add:
    return !__builtin_add_overflow(a, b, &out);
  case SlotOp::Sub:
    return !__builtin_sub_overflow(a, b, &out);
  case SlotOp::Mul:
    return !__builtin_mul_overflow(a, b, &out);
  case SlotOp::FloorDiv:
    out = b > 0 ? floorDivide(a, b) : 0;
    return b > 0;
  case SlotOp::CeilDiv:
    out = b > 0 ? floorDivide(a, b) + (a % b != 0 ? 1 : 0) : 0;
    return b > 0;
  case SlotOp::Mod:
    out = b > 0 ? a % b + (a % b < 0 ? b : 0) : 0;
    return b > 0;
  case SlotOp::Min:
    out = std::min(a, b);
    return true;
  case SlotOp::Max:
    out = std::max(a, b);
    return true;
  case SlotOp::LessEqual:
    out = a <= b ? 1 : 0;
    return true;
  case SlotOp::Less:
    out = a < b ? 1 : 0;
    return true;
  case SlotOp::Equal:
    out = a == b ? 1 : 0;
    return true;
  case SlotOp::NotEqual:
    out = a != b ? 1 : 0;
    return true;
  case SlotOp::And:
    out = a != 0 && b != 0 ? 1 : 0;
    return true;
  case SlotOp::Or:
    out = a != 0 || b != 0 ? 1 : 0;
    return true;
  default: // The others have no operands.
    return false;
  }
}

namespace {

const Symbol *symbolOf(const Function &function, Slot slot) {
  for (const Symbol &symbol : function.symbols)
    if (symbol.slot == slot)
      return &symbol;
  return nullptr;
}

/// Prints a slot, with parentheses if its operator's level is below `binding`: -2 for `and` and
/// `or`, -1 for a comparison, 0 for sums, 1 for products; right of a minus or a product the next
/// level is wanted.
class Printer {
public:
  explicit Printer(const Function &function) : function(function) {}

  std::string print(Slot slot, int binding, int depth) {
    if (const Symbol *symbol = symbolOf(function, slot))
      return symbol->name;
    const SlotOp &op = function.slots[slot];
    if (op.kind == SlotOp::Constant)
      return text(op.a);
    if (op.kind == SlotOp::Dimension)
      return text("dim(", function.parameters[static_cast<size_t>(op.a)].name, ", ", op.b, ")");
    if (op.kind == SlotOp::Threshold)
      return text("threshold(", op.a, ")");
    if (op.kind == SlotOp::Level)
      return text("level(", op.a, ")");
    if (op.reads())
      return readText(op);
    if (depth == 0)
      return "…";
    switch (op.kind) {
    case SlotOp::Add:
      return infix(op, " + ", 0, 0, 0, binding, depth);
    case SlotOp::Sub:
      return infix(op, " - ", 0, 0, 1, binding, depth);
    case SlotOp::Mul:
      return infix(op, " * ", 1, 1, 2, binding, depth);
    case SlotOp::LessEqual:
      return infix(op, " <= ", -1, 0, 0, binding, depth);
    case SlotOp::Less:
      return infix(op, " < ", -1, 0, 0, binding, depth);
    case SlotOp::Equal:
      return infix(op, " == ", -1, 0, 0, binding, depth);
    case SlotOp::NotEqual:
      return infix(op, " != ", -1, 0, 0, binding, depth);
    case SlotOp::And:
      return infix(op, " and ", -2, -1, -1, binding, depth);
    case SlotOp::Or:
      return infix(op, " or ", -2, -1, -1, binding, depth);
    case SlotOp::FloorDiv:
      return call("floordiv", op, depth);
    case SlotOp::CeilDiv:
      return call("ceildiv", op, depth);
    case SlotOp::Mod:
      return call("mod", op, depth);
    case SlotOp::Min:
      return call("min", op, depth);
    default:
      return call("max", op, depth);
    }
  }

private:
  std::string infix(const SlotOp &op, const char *sign, int level, int left, int right, int binding,
                    int depth) {
    std::string out = print(static_cast<Slot>(op.a), left, depth - 1) + sign +
                      print(static_cast<Slot>(op.b), right, depth - 1);
    return binding > level ? "(" + out + ")" : out;
  }
  std::string call(const char *name, const SlotOp &op, int depth) {
    return text(name, "(", print(static_cast<Slot>(op.a), -2, depth - 1), ", ",
                print(static_cast<Slot>(op.b), -2, depth - 1), ")");
  }
  static std::string readText(const SlotOp &op) {
    switch (op.kind) {
    case SlotOp::RegisterDimension:
      return text("dim(%", op.a, ", ", op.b, ")");
    case SlotOp::RegisterRank:
      return text("rank(%", op.a, ")");
    default:
      return text("%", op.a, "[", op.b, "]");
    }
  }

  const Function &function;
};

/// Deep enough for what people write; at most 2^6 leaves.
constexpr int maxTextDepth = 6;

void collectSymbols(const Function &function, Slot slot, int depth,
                    std::vector<const Symbol *> &out) {
  if (const Symbol *symbol = symbolOf(function, slot)) {
    if (std::find(out.begin(), out.end(), symbol) == out.end())
      out.push_back(symbol);
    return;
  }
  const SlotOp &op = function.slots[slot];
  if (depth == 0 || !op.combines())
    return;
  collectSymbols(function, static_cast<Slot>(op.a), depth - 1, out);
  collectSymbols(function, static_cast<Slot>(op.b), depth - 1, out);
}

} // namespace

size_t evaluateSlots(const Function &function, std::span<const int64_t> dims,
                     std::span<const uint32_t> firstDim, std::span<int64_t> values) {
  for (size_t i = 0; i != function.slots.size(); ++i) {
    const SlotOp &op = function.slots[i];
    auto a = static_cast<size_t>(op.a), b = static_cast<size_t>(op.b);
    if (op.kind == SlotOp::Constant)
      values[i] = op.a;
    else if (op.kind == SlotOp::Dimension)
      values[i] = dims[firstDim[a] + b];
    else if (op.isResolvedAtLoad()) // Where nothing was loaded: no library, and the first code.
      values[i] = op.kind == SlotOp::Threshold ? artifact::Threshold::never : op.a == 0;
    else if (!applySlot(op.kind, values[a], values[b], values[i]))
      return i;
  }
  return function.slots.size();
}

std::optional<int64_t> kernelCost(const artifact::Kernel &kernel, Slot slot,
                                  std::span<const int64_t> numbers) {
  if (slot == artifact::noSlot || numbers.size() != kernel.symbols.size())
    return std::nullopt;
  std::vector<int64_t> values(size_t{slot} + 1);
  for (size_t i = 0; i != values.size(); ++i) {
    const SlotOp &op = kernel.slots[i];
    const auto a = static_cast<size_t>(op.a), b = static_cast<size_t>(op.b);
    if (op.kind == SlotOp::Constant)
      values[i] = op.a;
    else if (op.kind == SlotOp::Dimension)
      values[i] = numbers[a];
    else if (!applySlot(op.kind, values[a], values[b], values[i]))
      return std::nullopt;
  }
  return values[slot];
}

std::string dimensionText(const Function &function, const SlotOp &op) {
  const artifact::Parameter &parameter = function.parameters[static_cast<size_t>(op.a)];
  bool ofShape =
      function.general && function.patterns[parameter.pattern].kind == artifact::TypePattern::Shape;
  return text(ofShape ? "element " : "dimension ", op.b);
}

std::string slotText(const Function &function, Slot slot) {
  return Printer(function).print(slot, -2, maxTextDepth);
}

std::string valueText(const Function &function, Slot slot, std::span<const int64_t> values) {
  std::string expression = slotText(function, slot), value = text(values[slot]);
  return expression == value ? value : text(expression, " = ", value);
}

std::string symbolsText(const Function &function, std::span<const Slot> slots,
                        std::span<const int64_t> values) {
  std::vector<const Symbol *> symbols;
  for (Slot slot : slots)
    collectSymbols(function, slot, maxTextDepth, symbols);
  std::string out;
  for (const Symbol *symbol : symbols) {
    out += text(out.empty() ? ", where " : ", ", symbol->name, " = ", values[symbol->slot]);
    const SlotOp &op = function.slots[symbol->slot];
    if (op.kind == SlotOp::Dimension)
      out += text(" is ", dimensionText(function, op), " of ",
                  inQuotes(function.parameters[static_cast<size_t>(op.a)].name));
    else if (!symbol->origin.empty())
      out += text(" is of ", symbol->origin);
  }
  return out;
}

} // namespace relax::runtime
