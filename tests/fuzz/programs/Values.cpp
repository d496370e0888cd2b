#include "tests/fuzz/programs/Values.h"

#include "compiler/driver/ElementTypes.h"
#include "compiler/driver/InterpreterBytes.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace relax::fuzz {
namespace {

using interpreter::Tensor;

Compiled tensorToRuntime(const Tensor &tensor) {
  auto bytes = std::make_shared<std::vector<uint8_t>>(driver::bytesOf(tensor, tensor.element));
  return Compiled::tensor({bytes->data(), *driver::runtimeType(tensor.element), tensor.dims},
                          bytes);
}

double epsilonOf(Type element) {
  if (element.isF64())
    return 0x1p-52;
  if (element.isF32())
    return 0x1p-23;
  return element.isF16() ? 0x1p-10 : 0x1p-7;
}

std::string dimsText(std::span<const int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i != dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

class Comparison {
public:
  explicit Comparison(Tally &tally) : tally(tally) {}

  /// What is wrong; empty if nothing is.
  std::string compare(const Compiled &found, const Reference &exact, const Reference &rounded) {
    if (const auto *tuple = std::get_if<interpreter::Tuple>(&exact.data))
      return compareTuples(found, *tuple->fields,
                           *std::get<interpreter::Tuple>(rounded.data).fields);
    if (const auto *shape = std::get_if<interpreter::Shape>(&exact.data))
      return compareShapes(found, shape->dims, std::get<interpreter::Shape>(rounded.data).dims);
    if (!exact.isTensor())
      return found.isFunction() ? "" : "found " + found.text() + ", expected a function";
    const Tensor &e = *exact.tensor(), &r = *rounded.tensor();
    if (!found.isTensor())
      return "found " + found.text() + ", expected a tensor";
    if (e.dims != r.dims) {
      ++tally.unstable;
      return "";
    }
    runtime::TensorView view = found.asTensor();
    if (!std::equal(view.dims.begin(), view.dims.end(), e.dims.begin(), e.dims.end()))
      return "found the shape " + dimsText(view.dims) + ", expected " + dimsText(e.dims);
    return e.isReal() ? compareReals(view.data, e, r) : compareIntegers(view.data, e, r);
  }

private:
  std::string compareTuples(const Compiled &found, const std::vector<Reference> &exact,
                            const std::vector<Reference> &rounded) {
    if (!found.isTuple() || found.asTuple().size() != exact.size())
      return "found " + found.text() + ", expected a tuple of " + std::to_string(exact.size());
    for (size_t i = 0; i != exact.size(); ++i)
      if (std::string wrong = compare(found.asTuple()[i], exact[i], rounded[i]); !wrong.empty())
        return "in a tuple, part " + std::to_string(i) + ": " + wrong;
    return "";
  }

  std::string compareShapes(const Compiled &found, const std::vector<int64_t> &exact,
                            const std::vector<int64_t> &rounded) {
    if (exact != rounded) {
      ++tally.unstable;
      return "";
    }
    if (!found.isShape() || !std::ranges::equal(found.asShape(), exact))
      return "found " + found.text() + ", expected the shape " + dimsText(exact);
    return "";
  }

  std::string compareIntegers(const void *data, const Tensor &exact, const Tensor &rounded) {
    for (size_t i = 0; i != exact.elements.size(); ++i)
      if (exact.elements[i].integer != rounded.elements[i].integer) {
        ++tally.unstable;
        return "";
      }
    ++tally.tensors;
    for (size_t i = 0; i != exact.elements.size(); ++i) {
      int64_t found = interpreter::readElement(data, i, exact.element).integer;
      if (found != exact.elements[i].integer)
        return "element " + std::to_string(i) + " of " + dimsText(exact.dims) + ": found " +
               std::to_string(found) + ", expected " + std::to_string(exact.elements[i].integer);
    }
    return "";
  }

  std::string compareReals(const void *data, const Tensor &exact, const Tensor &rounded) {
    double scale = 0, moved = 0;
    for (size_t i = 0; i != exact.elements.size(); ++i) {
      double e = exact.elements[i].real, r = rounded.elements[i].real;
      // What overflows only when it is rounded, or is NaN only then.
      if (std::isfinite(e) != std::isfinite(r) || (!std::isfinite(e) && !same(e, r))) {
        ++tally.unstable;
        return "";
      }
      if (!std::isfinite(e))
        continue;
      scale = std::max(scale, std::fabs(e));
      moved = std::max(moved, std::fabs(e - r));
    }
    // Rounding has taken everything: nothing to compare.
    if (moved > 0.05 * scale) {
      ++tally.unstable;
      return "";
    }
    ++tally.tensors;
    double least = exact.element.isF16() ? 0x1p-20 : 0x1p-100;
    double tolerance = 64 * moved + 64 * epsilonOf(exact.element) * scale + least;
    for (size_t i = 0; i != exact.elements.size(); ++i) {
      double found = interpreter::readElement(data, i, exact.element).real,
             e = exact.elements[i].real;
      bool fits = std::isfinite(e) ? std::fabs(found - e) <= tolerance : same(found, e);
      // At the end of the type's range the compiled one may be on the other side.
      if (!fits && std::isinf(found) && std::fabs(e) > largest(exact.element) * 0.99)
        fits = true;
      if (!fits)
        return "element " + std::to_string(i) + " of " + dimsText(exact.dims) + ": found " +
               realText(found) + ", expected " + realText(e) + " within " + realText(tolerance);
    }
    return "";
  }

  static std::string realText(double value) { return llvm::formatv("{0:e9}", value).str(); }
  static double largest(Type element) {
    return llvm::APFloat::getLargest(cast<FloatType>(element).getFloatSemantics())
        .convertToDouble();
  }
  static bool same(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b; }

  Tally &tally;
};

} // namespace

Compiled toRuntime(const Reference &value) {
  if (value.isTensor())
    return tensorToRuntime(*value.tensor());
  if (const auto *shape = std::get_if<interpreter::Shape>(&value.data))
    return Compiled::shape(shape->dims);
  std::vector<Compiled> fields;
  for (const Reference &field : *std::get<interpreter::Tuple>(value.data).fields)
    fields.push_back(toRuntime(field));
  return *Compiled::tuple(std::move(fields));
}

std::string compare(const Compiled &found, const Reference &exact, const Reference &rounded,
                    Tally &tally) {
  return Comparison(tally).compare(found, exact, rounded);
}

} // namespace relax::fuzz
