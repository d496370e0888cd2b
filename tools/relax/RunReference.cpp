#include "tools/relax/RunReference.h"

#include "runtime/Module.h"
#include "tools/relax/Numbers.h"
#include "tools/relax/RunInput.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <deque>
#include <limits>

namespace relax::tool {
namespace {

using artifact::DType;
using runtime::Value;

/// Values as the compiler library takes them; what they point to is kept in here.
class Arguments {
public:
  Expected<relax_interpreter_value> add(const Value &value) {
    relax_interpreter_value result = {};
    if (value.isTensor()) {
      const runtime::TensorView view = value.asTensor();
      result.kind = RELAX_INTERPRETER_TENSOR;
      result.dtype = static_cast<int>(view.dtype);
      result.count = view.dims.size();
      result.dims = view.dims.data();
      result.data = view.data;
    } else if (value.isShape()) {
      result.kind = RELAX_INTERPRETER_SHAPE;
      result.count = value.asShape().size();
      result.dims = value.asShape().data();
    } else if (value.isTuple()) {
      std::vector<relax_interpreter_value> fields;
      for (const Value &field : value.asTuple()) {
        auto part = add(field);
        if (!part)
          return part;
        fields.push_back(*part);
      }
      tuples.push_back(std::move(fields));
      result.kind = RELAX_INTERPRETER_TUPLE;
      result.count = tuples.back().size();
      result.fields = tuples.back().data();
    } else if (value.isFunction()) {
      names.push_back(runtime::Function::of(value.asFunction()).name());
      result.kind = RELAX_INTERPRETER_FUNCTION;
      result.name = names.back().c_str();
    } else {
      return Status(StatusCode::Unsupported, "the interpreter can't take " + value.text());
    }
    return result;
  }

private:
  std::deque<std::vector<relax_interpreter_value>> tuples;
  std::deque<std::string> names;
};

/// What rounding explains, relative to the tensor's largest element (at least 1).
double toleranceOf(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return 1e-9;
  case DType::F32:
    return 1e-4;
  case DType::F16:
    return 1e-2;
  case DType::BF16:
    return 5e-2;
  default:
    return 0;
  }
}

class Comparison {
public:
  std::vector<Difference> differences;

  void compare(const std::string &name, const Value &found,
               const relax_interpreter_value &reference) {
    if (found.isTensor() && reference.kind == RELAX_INTERPRETER_TENSOR)
      return compareTensor(name, arrayOf(found), reference);
    if (found.isShape() && reference.kind == RELAX_INTERPRETER_SHAPE) {
      const std::vector<int64_t> a(found.asShape().begin(), found.asShape().end()),
          b(reference.dims, reference.dims + reference.count);
      if (a != b)
        report(name, fmt::format("shape [{}], but [{}] in the reference", fmt::join(a, ", "),
                                 fmt::join(b, ", ")));
      return;
    }
    if (found.isTuple() && reference.kind == RELAX_INTERPRETER_TUPLE &&
        found.asTuple().size() == reference.count) {
      for (size_t i = 0; i < reference.count; ++i)
        compare(fmt::format("{}.{}", name, i), found.asTuple()[i], reference.fields[i]);
      return;
    }
    if (found.isTensor() || reference.kind == RELAX_INTERPRETER_TENSOR || found.isTuple())
      report(name, "another kind of value than in the reference");
  }

private:
  void report(const std::string &name, std::string problem) {
    Difference difference;
    difference.name = name;
    difference.agrees = false;
    difference.largest = HUGE_VAL;
    difference.problem = std::move(problem);
    differences.push_back(std::move(difference));
  }

  void compareTensor(const std::string &name, const Array &found,
                     const relax_interpreter_value &value) {
    Array reference;
    reference.dtype = static_cast<DType>(value.dtype);
    reference.dims.assign(value.dims, value.dims + value.count);
    if (found.dims != reference.dims)
      return report(name,
                    fmt::format("[{}], but [{}] in the reference", fmt::join(found.dims, ", "),
                                fmt::join(reference.dims, ", ")));
    const auto *bytes = static_cast<const uint8_t *>(value.data);
    reference.data.assign(bytes, bytes + found.count() * artifact::byteSize(reference.dtype));
    Difference difference;
    difference.name = name;
    double scale = 1;
    size_t worst = 0;
    for (size_t i = 0; i < found.count(); ++i) {
      const double a = elementAt(found, i), b = elementAt(reference, i);
      if (std::isfinite(b))
        scale = std::max(scale, std::fabs(b));
      double error = 0;
      if (!isFloat(found.dtype)) {
        // Beyond 2^53 doubles would hide a difference.
        error =
            integerAt(found, i) == integerAt(reference, i) ? 0 : std::max(1.0, std::fabs(a - b));
      } else if (!(std::isnan(a) && std::isnan(b)) && a != b) {
        error = std::fabs(a - b);
        if (!std::isfinite(error) && !overflowed(found.dtype, a, b))
          error = HUGE_VAL;
        else if (!std::isfinite(error))
          error = 0;
      }
      if (error > difference.largest) {
        difference.largest = error;
        worst = i;
      }
    }
    difference.agrees = difference.largest <= toleranceOf(found.dtype) * scale;
    if (difference.largest > 0) {
      difference.where = place(found.dims, worst);
      difference.compiled = elementText(found, worst);
      difference.reference = elementText(reference, worst);
    }
    differences.push_back(std::move(difference));
  }

  /// Whether `a` is infinite because `b` is beyond the dtype's numbers.
  static bool overflowed(DType dtype, double a, double b) {
    if (!std::isinf(a) || std::isnan(b) || std::signbit(a) != std::signbit(b))
      return false;
    const double largest = dtype == DType::F16 ? 65504 : std::numeric_limits<float>::max();
    return dtype != DType::F64 && std::fabs(b) > largest * 0.999;
  }

  static std::string place(const std::vector<int64_t> &dims, size_t index) {
    std::vector<size_t> places(dims.size());
    for (size_t axis = dims.size(); axis-- > 0;) {
      places[axis] = index % static_cast<size_t>(dims[axis]);
      index /= static_cast<size_t>(dims[axis]);
    }
    return dims.empty() ? "" : fmt::format("[{}]", fmt::join(places, ", "));
  }
};

/// What the interpreter's callback needs.
struct Receiver {
  Comparison comparison;
  std::span<const std::string> names;
  std::span<const Value> results;
};

void onResult(void *user, size_t index, const relax_interpreter_value *value) {
  auto &receiver = *static_cast<Receiver *>(user);
  if (index < receiver.results.size())
    receiver.comparison.compare(receiver.names[index], receiver.results[index], *value);
}

} // namespace

Expected<std::vector<Difference>>
compareWithReference(const CompilerLibrary &compiler, const std::string &path,
                     const std::string &function, std::span<const Value> inputs,
                     std::span<const std::string> names, std::span<const Value> results) {
  Arguments arguments;
  std::vector<relax_interpreter_value> values;
  for (const Value &input : inputs) {
    auto value = arguments.add(input);
    if (!value)
      return value.takeStatus();
    values.push_back(*value);
  }
  Receiver receiver{{}, names, results};
  RELAX_RETURN_IF_ERROR(compiler.interpret(path, function, values, onResult, &receiver));
  return std::move(receiver.comparison.differences);
}

std::string differenceText(const std::vector<Difference> &differences) {
  std::string text = "\nCompared with the interpreter in float64:\n";
  for (const Difference &difference : differences) {
    if (!difference.problem.empty())
      text += fmt::format("  {}: DIFFERS: {}\n", difference.name, difference.problem);
    else if (difference.largest == 0)
      text += fmt::format("  {}: equal\n", difference.name);
    else
      text +=
          fmt::format("  {}: {}largest error {:.3g} at {}{}: {}, reference {}\n", difference.name,
                      difference.agrees ? "" : "DIFFERS: ", difference.largest, difference.name,
                      difference.where, difference.compiled, difference.reference);
  }
  return text;
}

Json differenceJson(const std::vector<Difference> &differences) {
  Json list = Json::array();
  for (const Difference &difference : differences) {
    Json entry = {{"name", difference.name},
                  {"agrees", difference.agrees},
                  {"largest_error",
                   std::isfinite(difference.largest) ? Json(difference.largest) : Json("inf")}};
    if (!difference.problem.empty())
      entry["problem"] = difference.problem;
    if (!difference.compiled.empty()) {
      entry["where"] = difference.where;
      entry["compiled"] = difference.compiled;
      entry["reference"] = difference.reference;
    }
    list.push_back(std::move(entry));
  }
  return list;
}

} // namespace relax::tool
