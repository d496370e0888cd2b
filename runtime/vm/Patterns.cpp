//===- Patterns.cpp ---------------------------------------------------------------------------===//
#include "runtime/vm/Patterns.h"

#include "runtime/support/Text.h"
#include "runtime/vm/Checks.h"
#include "runtime/vm/Slots.h"

namespace relax::runtime {

using artifact::Function;
using artifact::Slot;
using artifact::TypePattern;

namespace {

/// Where a check is: a field of a field of … a value. Lives on the stack; text is only made of it
/// when a check fails.
class Place {
public:
  Place(const Function &function, const TypePattern &pattern, ValueName name)
      : function(function), pattern(pattern), name(name) {}
  Place(const Place &parent, size_t field)
      : function(parent.function), pattern(parent.pattern), name(parent.name), parent(&parent),
        field(field) {}

  /// `argument 0 "t", field 1`, `match_cast, field 1`.
  [[nodiscard]] std::string text() const {
    if (parent)
      return relax::text(parent->text(), ", field ", field);
    if (name.argument < function.parameters.size())
      return argumentText(function, name.argument);
    return pattern.what.empty() ? "value" : pattern.what;
  }
  [[nodiscard]] Status error(const std::string &where, const std::string &message) const {
    return Status(StatusCode::InvalidArgument,
                  relax::text(text(), where, ": ", message,
                              pattern.source.empty() ? "" : " [" + pattern.source + "]"));
  }

  const Function &function;

private:
  const TypePattern &pattern;
  ValueName name;
  const Place *parent = nullptr;
  size_t field = 0;
};

Status otherKind(const Place &place, const TypePattern &pattern, const Value &value) {
  return place.error(
      "", text("found ", value.text(), ", expected ", patternText(place.function, pattern)));
}

Status checkRank(const Place &place, const TypePattern &pattern, size_t rank) {
  if (pattern.anyRank || pattern.dims.size() == rank)
    return {};
  return place.error("", text("found ", rank, " dimensions, expected ", pattern.dims.size()));
}

Status checkTensor(const Place &place, const TypePattern &pattern, const Value &value) {
  TensorView view = value.asTensor();
  if (!pattern.anyDType && view.dtype != pattern.dtype)
    return place.error("", text("found elements of ", artifact::name(view.dtype), ", expected ",
                                artifact::name(pattern.dtype)));
  return checkRank(place, pattern, view.dims.size());
}

Status checkFunction(const Place &place, const TypePattern &pattern, const Value &value) {
  const Value::FunctionReference &reference = value.asFunction();
  if (!reference.module || (pattern.numParameters < 0 && pattern.numResults < 0))
    return {};
  const Function &found = signatureOf(reference);
  if ((pattern.numParameters < 0 ||
       found.parameters.size() == static_cast<size_t>(pattern.numParameters)) &&
      (pattern.numResults < 0 || found.results.size() == static_cast<size_t>(pattern.numResults)))
    return {};
  return place.error("", text("found the function ", inQuotes(found.name), " with ",
                              found.parameters.size(), " parameters and ", found.results.size(),
                              " results, expected ", patternText(place.function, pattern)));
}

/// Recursion is bounded by how deep the value nests.
Status structure(const Place &place, const TypePattern &pattern, const Value &value) {
  switch (pattern.kind) {
  case TypePattern::Any:
    return value.isNothing() ? otherKind(place, pattern, value) : Status();
  case TypePattern::Tensor:
    return value.isTensor() ? checkTensor(place, pattern, value) : otherKind(place, pattern, value);
  case TypePattern::Shape:
    return value.isShape() ? checkRank(place, pattern, value.asShape().size())
                           : otherKind(place, pattern, value);
  case TypePattern::Function:
    return value.isFunction() ? checkFunction(place, pattern, value)
                              : otherKind(place, pattern, value);
  case TypePattern::Object:
    return value.isObject() ? Status() : otherKind(place, pattern, value);
  case TypePattern::Tuple:
    break;
  }
  if (!value.isTuple() || value.asTuple().size() != pattern.fields.size())
    return otherKind(place, pattern, value);
  for (size_t i = 0; i != pattern.fields.size(); ++i)
    RELAX_RETURN_IF_ERROR(
        structure(Place(place, i), place.function.patterns[pattern.fields[i]], value.asTuple()[i]));
  return {};
}

Status dimensions(const Place &place, const TypePattern &pattern, const Value &value,
                  std::span<const int64_t> values, size_t known) {
  if (pattern.kind == TypePattern::Tuple)
    for (size_t i = 0; i != pattern.fields.size(); ++i)
      RELAX_RETURN_IF_ERROR(dimensions(Place(place, i), place.function.patterns[pattern.fields[i]],
                                       value.asTuple()[i], values, known));
  if (pattern.dims.empty())
    return {};
  std::span<const int64_t> dims = value.isTensor() ? value.asTensor().dims : value.asShape();
  for (size_t axis = 0; axis != dims.size(); ++axis) {
    Slot slot = pattern.dims[axis];
    if (slot >= known || dims[axis] == values[slot])
      continue;
    return place.error(text(value.isTensor() ? ", dimension " : ", element ", axis),
                       text("found ", dims[axis], ", expected ",
                            valueText(place.function, slot, values),
                            symbolsText(place.function, std::span(&slot, 1), values)));
  }
  return {};
}

std::string dimsText(const Function &function, const TypePattern &pattern) {
  if (pattern.anyRank)
    return "[…]";
  std::string out = "[";
  for (size_t axis = 0; axis != pattern.dims.size(); ++axis)
    out +=
        text(axis == 0 ? "" : ", ",
             pattern.dims[axis] == artifact::noSlot ? "?" : slotText(function, pattern.dims[axis]));
  return out + "]";
}

} // namespace

Status checkStructure(const Function &function, uint32_t pattern, const Value &value,
                      ValueName name) {
  const TypePattern &root = function.patterns[pattern];
  return structure(Place(function, root, name), root, value);
}

Status checkPatternDims(const Function &function, uint32_t pattern, const Value &value,
                        std::span<const int64_t> values, size_t known, ValueName name) {
  const TypePattern &root = function.patterns[pattern];
  return dimensions(Place(function, root, name), root, value, values, known);
}

std::string patternText(const Function &function, const TypePattern &pattern) {
  switch (pattern.kind) {
  case TypePattern::Any:
    return "any value";
  case TypePattern::Tensor:
    return text(pattern.anyDType ? "a tensor " : artifact::name(pattern.dtype),
                dimsText(function, pattern));
  case TypePattern::Shape:
    return text("shape ", dimsText(function, pattern));
  case TypePattern::Tuple:
    return text("a tuple of ", pattern.fields.size());
  case TypePattern::Function: {
    std::string out = "a function";
    if (pattern.numParameters >= 0)
      out += text(" of ", pattern.numParameters, " parameters");
    if (pattern.numResults >= 0)
      out += text(pattern.numParameters >= 0 ? " and " : " of ", pattern.numResults, " results");
    return out;
  }
  case TypePattern::Object:
    return "an object";
  }
  return "?";
}

} // namespace relax::runtime
