#include "tests/fuzz/programs/Runner.h"

#include "compiler/dialect/Relax.h"
#include "compiler/driver/CompileModel.h"
#include "compiler/interpreter/Interpreter.h"
#include "compiler/transforms/Passes.h"
#include "runtime/Module.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

using namespace mlir;

namespace relax::fuzz {
namespace {

using artifact::DType;
using interpreter::Scalar;
using interpreter::Tensor;
using interpreter::TensorPointer;
using Reference = interpreter::Value;
using Compiled = runtime::Value;

constexpr uint64_t memoryLimit = uint64_t(1) << 30;
constexpr uint64_t maxSteps = 20'000'000;

DType dtypeOf(Type element) {
  if (element.isF32())
    return DType::F32;
  if (element.isF16())
    return DType::F16;
  if (element.isBF16())
    return DType::BF16;
  if (element.isF64())
    return DType::F64;
  if (element.isInteger(1))
    return DType::Bool;
  if (element.isUnsignedInteger(8))
    return DType::U8;
  switch (element.getIntOrFloatBitWidth()) {
  case 8:
    return DType::I8;
  case 16:
    return DType::I16;
  case 32:
    return DType::I32;
  default:
    return DType::I64;
  }
}

/// The bits of one number as an element of type `element`.
uint64_t bitsOf(Scalar scalar, Type element) {
  auto real = dyn_cast<FloatType>(element);
  if (!real)
    return static_cast<uint64_t>(scalar.integer);
  llvm::APFloat number(scalar.real);
  bool lossy = false;
  number.convert(real.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return number.bitcastToAPInt().getZExtValue();
}

Scalar scalarAt(const void *data, size_t index, Type element) {
  size_t width = artifact::byteSize(dtypeOf(element));
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char *>(data) + index * width, width);
  if (auto real = dyn_cast<FloatType>(element))
    return interpreter::realScalar(
        llvm::APFloat(real.getFloatSemantics(), llvm::APInt(static_cast<unsigned>(8 * width), bits))
            .convertToDouble());
  return interpreter::integerScalar(
      interpreter::wrapToWidth(static_cast<int64_t>(bits), element.getIntOrFloatBitWidth()));
}

/// A tensor of the runtime with memory of its own.
Compiled toRuntime(const Tensor &tensor) {
  size_t width = artifact::byteSize(dtypeOf(tensor.element));
  auto bytes = std::make_shared<std::vector<uint64_t>>(tensor.elements.size() * width / 8 + 1);
  auto *data = reinterpret_cast<char *>(bytes->data());
  for (size_t i = 0; i != tensor.elements.size(); ++i) {
    uint64_t bits = bitsOf(tensor.elements[i], tensor.element);
    std::memcpy(data + i * width, &bits, width);
  }
  return Compiled::tensor({data, dtypeOf(tensor.element), tensor.dims}, bytes);
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
  explicit Comparison(Outcome &outcome) : outcome(outcome) {}

  /// What is wrong; empty if nothing is.
  std::string compare(const Compiled &found, const Reference &exact, const Reference &rounded) {
    if (!exact.isTensor())
      return ""; // Shapes: their dimensions are those of tensors.
    const Tensor &e = *exact.tensor(), &r = *rounded.tensor();
    if (!found.isTensor())
      return "found " + found.text() + ", expected a tensor";
    if (e.dims != r.dims) {
      ++outcome.unstable;
      return "";
    }
    runtime::TensorView view = found.asTensor();
    if (!std::equal(view.dims.begin(), view.dims.end(), e.dims.begin(), e.dims.end()))
      return "found the shape " + dimsText(view.dims) + ", expected " + dimsText(e.dims);
    return e.isReal() ? compareReals(view.data, e, r) : compareIntegers(view.data, e, r);
  }

private:
  std::string compareIntegers(const void *data, const Tensor &exact, const Tensor &rounded) {
    for (size_t i = 0; i != exact.elements.size(); ++i)
      if (exact.elements[i].integer != rounded.elements[i].integer) {
        ++outcome.unstable;
        return "";
      }
    ++outcome.tensors;
    for (size_t i = 0; i != exact.elements.size(); ++i) {
      int64_t found = scalarAt(data, i, exact.element).integer;
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
        ++outcome.unstable;
        return "";
      }
      if (!std::isfinite(e))
        continue;
      scale = std::max(scale, std::fabs(e));
      moved = std::max(moved, std::fabs(e - r));
    }
    // Rounding has taken everything: nothing to compare.
    if (moved > 0.05 * scale) {
      ++outcome.unstable;
      return "";
    }
    ++outcome.tensors;
    double least = exact.element.isF16() ? 0x1p-20 : 0x1p-100;
    double tolerance = 64 * moved + 64 * epsilonOf(exact.element) * scale + least;
    for (size_t i = 0; i != exact.elements.size(); ++i) {
      double found = scalarAt(data, i, exact.element).real, e = exact.elements[i].real;
      bool fits = std::isfinite(e) ? std::fabs(found - e) <= tolerance : same(found, e);
      // At the end of the type's range the compiled one may be on the other side.
      if (!fits && std::isinf(found) && std::fabs(e) > largest(exact.element) * 0.99)
        fits = true;
      if (!fits)
        return "element " + std::to_string(i) + " of " + dimsText(exact.dims) + ": found " +
               std::to_string(found) + ", expected " + std::to_string(e) + " within " +
               std::to_string(tolerance);
    }
    return "";
  }

  static double largest(Type element) {
    return llvm::APFloat::getLargest(cast<FloatType>(element).getFloatSemantics())
        .convertToDouble();
  }
  static bool same(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == b; }

  Outcome &outcome;
};

class Runner {
public:
  Runner(ModuleOp module, uint64_t seed, const std::string &file)
      : module(module), context(module.getContext()), random(seed), file(file) {}

  Outcome run() {
    outcome.failure = check();
    return outcome;
  }

private:
  std::string check() {
    std::string text = textOf(module);
    {
      std::ofstream(file) << text;
    }
    std::string messages;
    ScopedDiagnosticHandler collect(context, [&](Diagnostic &diagnostic) {
      llvm::raw_string_ostream(messages) << diagnostic << "\n";
      return success();
    });
    if (failed(verify(module)))
      return "the verifier refuses it: " + messages;
    PassManager rules(context);
    rules.addPass(transforms::createVerifyPass());
    if (failed(rules.run(module))) {
      // What each op accepts may be impossible under the facts of the function.
      return messages.find("[R18]") != std::string::npos ? "" : "the rules refuse it: " + messages;
    }
    OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(text, context);
    if (!again)
      return "its text can't be read: " + messages;
    if (std::string back = textOf(*again); back != text)
      return "text is not what it was after reading and printing:\n" + back;
    reference = std::move(again);
    driver::CompileOptions options;
    options.input = file;
    Expected<std::vector<uint8_t>> artifact = driver::compileModel(options, {});
    // Errors of a program that the rules of single ops don't see: what the facts refute, and a
    // scale that attention can't know.
    for (const char *refusal :
         {"can never hold", "needs the attribute scale", "provably a multiple"})
      if (!artifact && artifact.status().message().find(refusal) != std::string::npos)
        return "";
    if (!artifact)
      return "not compiled: " + std::string(artifact.status().message());
    runtime::LoadOptions load;
    load.threads = 2;
    load.memoryLimit = memoryLimit;
    static const std::shared_ptr<runtime::ThreadPool> pool =
        std::make_shared<runtime::ThreadPool>(2);
    load.pool = pool;
    Expected<runtime::Module> loaded = runtime::Module::loadBytes(*artifact, file, load);
    // A check of constants alone fails when the module is loaded, not when it is called.
    if (!loaded && loaded.status().message().find("initialize: ") != std::string::npos)
      return "";
    if (!loaded)
      return "not loaded: " + std::string(loaded.status().message());
    Expected<runtime::Function> function = loaded->function("f");
    if (!function)
      return "no function: " + std::string(function.status().message());
    for (int call = 0; call != 4; ++call)
      if (std::string failure = compareCall(*function, call); !failure.empty())
        return failure;
    if (uint64_t tensors = loaded->memory().tensors)
      return std::to_string(tensors) + " bytes of tensors are left after the calls";
    return "";
  }

  static std::string textOf(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream(text) << module;
    return text;
  }

  int64_t below(int64_t count) {
    return static_cast<int64_t>(random() % static_cast<uint64_t>(count));
  }

  /// Sizes for the symbols: all alike in half of the calls, so that what must agree does.
  interpreter::TensorPointer argument(RankedTensorType type, int call) {
    std::vector<int64_t> dims;
    for (symbolic::Expr dim : ir::shapeOf(type)) {
      std::set<std::string> names;
      dim.collectSymbols(names);
      for (const std::string &name : names)
        if (!sizes.count(name)) {
          static constexpr int64_t choices[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17};
          sizes[name] = call % 2 == 0 && !sizes.empty() ? sizes.begin()->second
                                                        : choices[below(std::size(choices))];
        }
      dims.push_back(std::max<int64_t>(symbolic::evaluate(dim, sizes).value_or(0), 0));
    }
    TensorPointer tensor = interpreter::makeTensor(type.getElementType(), std::move(dims));
    bool wild = below(8) == 0;
    for (Scalar &element : tensor->elements)
      element = number(type.getElementType(), wild);
    return tensor;
  }

  Scalar number(Type element, bool wild) {
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

  std::string compareCall(const runtime::Function &function, int call) {
    sizes.clear();
    auto signature = module.lookupSymbol<func::FuncOp>("f");
    std::vector<Reference> exactArguments, roundedArguments;
    std::vector<Compiled> arguments;
    for (Type type : signature.getArgumentTypes()) {
      TensorPointer tensor = argument(cast<RankedTensorType>(type), call);
      exactArguments.push_back(tensor);
      arguments.push_back(toRuntime(*tensor));
    }
    roundedArguments = exactArguments;
    interpreter::Options options;
    options.maxSteps = maxSteps;
    auto exact = interpreter::interpret(*reference, "f", std::move(exactArguments), options);
    options.roundResults = true;
    auto rounded = interpreter::interpret(*reference, "f", std::move(roundedArguments), options);
    if (!exact && exact.status().message().find("gave up") != std::string::npos)
      return "";
    Expected<std::vector<Compiled>> found = function.invoke(arguments);
    std::string where = "call " + std::to_string(call) + sizesText() + ": ";
    if (!exact || !rounded) {
      // What rounding decides (the length of a selection) may decide whether it runs at all.
      if (!found || exact || rounded) {
        ++outcome.refused;
        return "";
      }
      return where +
             "compiled code ran, the interpreter refused: " + std::string(exact.status().message());
    }
    if (!found) {
      if (found.status().message().find("memory") != std::string::npos)
        return "";
      return where +
             "compiled code refused, the interpreter ran: " + std::string(found.status().message());
    }
    ++outcome.calls;
    if (found->size() != exact->size())
      return where + "found " + std::to_string(found->size()) + " results";
    for (size_t i = 0; i != exact->size(); ++i)
      if (std::string wrong = Comparison(outcome).compare((*found)[i], (*exact)[i], (*rounded)[i]);
          !wrong.empty())
        return where + "result " + std::to_string(i) + ": " + wrong;
    return "";
  }

  std::string sizesText() const {
    std::string text;
    for (const auto &[name, value] : sizes)
      text += (text.empty() ? " with " : ", ") + name + " = " + std::to_string(value);
    return text;
  }

  ModuleOp module;
  MLIRContext *context;
  std::mt19937_64 random;
  std::string file;
  OwningOpRef<ModuleOp> reference;
  std::map<std::string, int64_t> sizes;
  Outcome outcome;
};

} // namespace

Outcome runProgram(ModuleOp module, uint64_t seed, const std::string &file) {
  return Runner(module, seed, file).run();
}

} // namespace relax::fuzz
