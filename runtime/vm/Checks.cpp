//===- Checks.cpp -----------------------------------------------------------------------------===//
#include "runtime/vm/Checks.h"

#include "runtime/support/Text.h"
#include "runtime/vm/Slots.h"
#include "runtime/vm/Value.h"

#include <algorithm>
#include <limits>

namespace relax::runtime {

using artifact::Function;
using artifact::Guard;
using artifact::Slot;
using artifact::SlotOp;
using artifact::Symbol;
using artifact::TensorType;

namespace {

Status invalid(std::string message) {
  return Status(StatusCode::InvalidArgument, std::move(message));
}

std::string sourceText(const Guard &guard) {
  return guard.source.empty() ? std::string() : text(" [", guard.source, "]");
}

/// Where a symbol's value is seen: `dimension 0 of argument 2 "x"`, its origin, or nothing.
std::string originText(const Function &function, const Symbol &symbol) {
  const SlotOp &op = function.slots[symbol.slot];
  if (op.kind == SlotOp::Dimension)
    return text(" (", dimensionText(function, op), " of ",
                argumentText(function, static_cast<size_t>(op.a)), ")");
  return symbol.origin.empty() ? std::string() : text(" (", symbol.origin, ")");
}

Status guardError(const Function &function, const Guard &guard, std::span<const int64_t> values) {
  std::string out;
  if (guard.parameter >= 0) {
    out = argumentText(function, static_cast<size_t>(guard.parameter));
    if (guard.axis >= 0)
      out += text(", dimension ", guard.axis);
    out += ": ";
  }
  const Slot slots[] = {guard.a, guard.b};
  const char *relation = guard.kind == Guard::Equal       ? "equals"
                         : guard.kind == Guard::LessEqual ? "is at most"
                                                          : "divides";
  out += guard.expression.empty()
             ? text(slotText(function, guard.a), ' ', relation, ' ', slotText(function, guard.b))
             : guard.expression;
  out += text(" does not hold: found ", valueText(function, guard.a, values), " and ",
              valueText(function, guard.b, values), symbolsText(function, slots, values),
              sourceText(guard));
  return invalid(std::move(out));
}

/// The first element outside [lo, hi), or -1. Whole blocks are looked at without a branch, so that
/// they are compared many at a time.
template <typename T> int64_t findOutside(const void *data, int64_t count, int64_t lo, int64_t hi) {
  const auto *elements = static_cast<const T *>(data);
  // In T, where the bounds may not fit. An empty range has no elements inside.
  // NOLINTNEXTLINE(bugprone-signed-char-misuse): the smallest int8 is meant.
  constexpr auto least = static_cast<int64_t>(std::numeric_limits<T>::min()),
                 most = static_cast<int64_t>(std::numeric_limits<T>::max());
  if (lo >= hi || lo > most || hi <= least)
    return count > 0 ? 0 : -1;
  auto first = static_cast<T>(std::max(lo, least)), last = static_cast<T>(std::min(hi - 1, most));
  constexpr int64_t block = 256;
  int64_t begin = 0;
  for (; begin + block <= count; begin += block) {
    int outside = 0;
    for (int64_t i = begin; i != begin + block; ++i)
      outside |= (elements[i] < first) | (elements[i] > last);
    if (outside)
      break;
  }
  for (int64_t i = begin; i != count; ++i)
    if (elements[i] < first || elements[i] > last)
      return i;
  return -1;
}

int64_t findOutside(DType dtype, const void *data, int64_t count, int64_t lo, int64_t hi) {
  switch (dtype) {
  case DType::I8:
    return findOutside<int8_t>(data, count, lo, hi);
  case DType::U8:
    return findOutside<uint8_t>(data, count, lo, hi);
  case DType::I16:
    return findOutside<int16_t>(data, count, lo, hi);
  case DType::I32:
    return findOutside<int32_t>(data, count, lo, hi);
  default:
    return findOutside<int64_t>(data, count, lo, hi);
  }
}

Status checkValuesInRange(const Function &function, const Guard &guard, const TensorView &view,
                          std::span<const int64_t> values) {
  int64_t limit = values[guard.a];
  int64_t at = findOutside(view.dtype, view.data, elementCount(view.dims), 0, limit);
  if (at < 0)
    return {};
  int64_t found = integerAt(view.dtype, view.data, at);
  const Slot slots[] = {guard.a};
  return invalid(text(argumentText(function, static_cast<size_t>(guard.parameter)), ", element ",
                      at, ": found ", found, ", expected at least 0 and less than ",
                      valueText(function, guard.a, values), symbolsText(function, slots, values),
                      sourceText(guard)));
}

/// See Guard::Ragged.
class RaggedCheck {
public:
  RaggedCheck(const Function &function, const Guard &guard, const TensorView &starts,
              const TensorView &cached, std::span<const int64_t> values)
      : function(function), guard(guard), startsView(starts), cachedView(cached), values(values) {}

  Status run() const {
    int64_t sequences = cachedView.dims[0];
    if (startsView.dims[0] != sequences + 1)
      return invalid(text(starts(), ", dimension 0: found ", startsView.dims[0], ", expected ",
                          sequences, " + 1, one more than the elements of ", cached(),
                          sourceText(guard)));
    const auto *start = static_cast<const int32_t *>(startsView.data);
    const auto *length = static_cast<const int32_t *>(cachedView.data);
    int64_t total = values[guard.a], limit = values[guard.b];
    if (start[0] != 0)
      return wrong(starts(), 0, start[0], "0");
    for (int64_t i = 0; i != sequences; ++i) {
      if (start[i + 1] < start[i])
        return wrong(starts(), i + 1, start[i + 1],
                     text("at least ", start[i], ", the one before"));
      if (length[i] < 0)
        return wrong(cached(), i, length[i], "at least 0");
      int64_t added = int64_t{start[i + 1]} - start[i];
      if (length[i] + added > limit)
        return invalid(
            text(cached(), ", element ", i, ": found ", length[i], ", with ", added, " new ones ",
                 length[i] + added, ", expected at most ", valueText(function, guard.b, values),
                 symbolsText(function, std::span(&guard.b, 1), values), sourceText(guard)));
    }
    if (start[sequences] != total)
      return wrong(starts(), sequences, start[sequences],
                   text(valueText(function, guard.a, values),
                        symbolsText(function, std::span(&guard.a, 1), values)));
    return {};
  }

private:
  [[nodiscard]] std::string starts() const {
    return argumentText(function, static_cast<size_t>(guard.parameter));
  }
  [[nodiscard]] std::string cached() const {
    return argumentText(function, static_cast<size_t>(guard.axis));
  }
  [[nodiscard]] Status wrong(const std::string &argument, int64_t element, int64_t found,
                             const std::string &expected) const {
    return invalid(text(argument, ", element ", element, ": found ", found, ", expected ", expected,
                        sourceText(guard)));
  }

  const Function &function;
  const Guard &guard;
  const TensorView &startsView, &cachedView;
  std::span<const int64_t> values;
};

} // namespace

std::string argumentText(const Function &function, size_t parameter) {
  if (parameter >= function.parameters.size()) // A register of a general function.
    return text("value ", parameter);
  return text("argument ", parameter, ' ', inQuotes(function.parameters[parameter].name));
}

std::string resultText(const Function &function, size_t result) {
  return text("result ", result, ' ', inQuotes(function.results[result].name));
}

Status checkSymbol(const Function &function, const Symbol &symbol, int64_t value) {
  std::string rule;
  if (value < symbol.lo)
    rule = text("at least ", symbol.lo);
  else if (symbol.hi && value > *symbol.hi)
    rule = text("at most ", *symbol.hi);
  else if (value % symbol.divisor != 0)
    rule = text("divisible by ", symbol.divisor);
  else
    return {};
  return invalid(text("symbol ", symbol.name, originText(function, symbol), " is ", value,
                      ", but must be ", rule));
}

Status checkKind(const TensorType &type, const TensorView &view) {
  if (view.dtype != type.dtype)
    return invalid(text("found elements of ", artifact::name(view.dtype), ", expected ",
                        artifact::name(type.dtype)));
  if (view.dims.size() != type.dims.size())
    return invalid(text("found ", view.dims.size(), " dimensions, expected ", type.dims.size()));
  for (size_t axis = 0; axis != view.dims.size(); ++axis)
    if (view.dims[axis] < 0)
      return invalid(
          text("dimension ", axis, ": found ", view.dims[axis], ", expected at least 0"));
  return {};
}

Status checkDimensions(const Function &function, std::span<const TensorView> arguments,
                       std::span<const int64_t> values, size_t known) {
  for (const Symbol &symbol : function.symbols)
    if (symbol.slot < known)
      RELAX_RETURN_IF_ERROR(checkSymbol(function, symbol, values[symbol.slot]));
  for (size_t i = 0; i != arguments.size(); ++i) {
    const std::vector<Slot> &dims = function.parameters[i].type.dims;
    for (size_t axis = 0; axis != dims.size(); ++axis) {
      if (dims[axis] >= known || arguments[i].dims[axis] == values[dims[axis]])
        continue;
      return invalid(text(argumentText(function, i), ", dimension ", axis, ": found ",
                          arguments[i].dims[axis], ", expected ",
                          valueText(function, dims[axis], values),
                          symbolsText(function, std::span(&dims[axis], 1), values)));
    }
  }
  return {};
}

Status checkShapeGuard(const Function &function, const Guard &guard,
                       std::span<const int64_t> values) {
  bool holds = true;
  if (guard.kind == Guard::Equal)
    holds = values[guard.a] == values[guard.b];
  else if (guard.kind == Guard::LessEqual)
    holds = values[guard.a] <= values[guard.b];
  else if (guard.kind == Guard::Divides)
    holds = values[guard.a] > 0 && values[guard.b] % values[guard.a] == 0;
  return holds ? Status() : guardError(function, guard, values);
}

Status checkShapeGuards(const Function &function, std::span<const int64_t> values) {
  for (const Guard &guard : function.guards)
    RELAX_RETURN_IF_ERROR(checkShapeGuard(function, guard, values));
  return {};
}

Status checkDataGuard(const Function &function, const Guard &guard, const TensorView &first,
                      const TensorView &second, std::span<const int64_t> values) {
  if (guard.kind == Guard::ValuesInRange)
    return checkValuesInRange(function, guard, first, values);
  return RaggedCheck(function, guard, first, second, values).run();
}

Status checkDataGuards(const Function &function, std::span<const TensorView> arguments,
                       std::span<const int64_t> values) {
  for (const Guard &guard : function.guards)
    if (guard.kind == Guard::ValuesInRange || guard.kind == Guard::Ragged) {
      const TensorView &first = arguments[static_cast<size_t>(guard.parameter)];
      const TensorView &second =
          guard.kind == Guard::Ragged ? arguments[static_cast<size_t>(guard.axis)] : first;
      RELAX_RETURN_IF_ERROR(checkDataGuard(function, guard, first, second, values));
    }
  return {};
}

int64_t integerAt(DType dtype, const void *data, int64_t index) {
  switch (dtype) {
  case DType::I8:
    return static_cast<const int8_t *>(data)[index];
  case DType::U8:
  case DType::Bool:
    return static_cast<const uint8_t *>(data)[index];
  case DType::I16:
    return static_cast<const int16_t *>(data)[index];
  case DType::I32:
    return static_cast<const int32_t *>(data)[index];
  default:
    return static_cast<const int64_t *>(data)[index];
  }
}

Status checkElements(const Guard &guard, DType dtype, const void *data, int64_t count, int64_t lo,
                     int64_t hi) {
  int64_t at = findOutside(dtype, data, count, lo, hi);
  if (at < 0)
    return {};
  return invalid(text(guard.expression.empty() ? "indices" : guard.expression, ": element ", at,
                      " is ", integerAt(dtype, data, at), ", but must be at least ", lo,
                      " and less than ", hi, sourceText(guard)));
}

Status shapeError(const Function &function, const artifact::Instruction &instruction,
                  const std::string &message) {
  if (instruction.target == 0)
    return invalid(message);
  const Guard &guard = function.guards[instruction.target - 1];
  return invalid(text(guard.expression, ": ", message, sourceText(guard)));
}

Status slotError(const Function &function, size_t slot, std::span<const int64_t> values) {
  const SlotOp &op = function.slots[slot];
  bool division =
      op.kind == SlotOp::FloorDiv || op.kind == SlotOp::CeilDiv || op.kind == SlotOp::Mod;
  const Slot slots[] = {static_cast<Slot>(slot)};
  return invalid(text(slotText(function, static_cast<Slot>(slot)),
                      division ? " divides by a value below 1" : " does not fit 64 bits",
                      ": its operands are ", values[static_cast<size_t>(op.a)], " and ",
                      values[static_cast<size_t>(op.b)], symbolsText(function, slots, values)));
}

Status checkStorage(const TensorView &view, uint64_t bytes) {
  if (bytes == 0)
    return {};
  if (!view.data)
    return invalid(text("found a null pointer, expected ", bytes, " bytes"));
  uint64_t alignment = artifact::byteSize(view.dtype);
  if (reinterpret_cast<uintptr_t>(view.data) % alignment != 0)
    return invalid(text("its data is not aligned to ", alignment, " bytes"));
  return {};
}

} // namespace relax::runtime
