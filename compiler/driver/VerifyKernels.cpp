#include "compiler/driver/VerifyKernels.h"

#include "compiler/dialect/Relax.h"
#include "compiler/driver/InterpreterBytes.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <new>

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::driver {
namespace {

/// Bytes behind each buffer that no kernel may touch, and what they hold.
constexpr size_t fenceBytes = 256;
constexpr uint8_t fence = 0xA5;

/// Of a sum of float32 numbers in any fixed order, relative to the largest result.
constexpr double roundings = 64;
/// How many times the difference that rounding each step makes is accepted.
constexpr double amplification = 16;

double epsilonOf(Type element) {
  return element.isF64()    ? 0x1p-53
         : element.isBF16() ? 0x1p-8
         : element.isF16()  ? 0x1p-11
                            : 0x1p-24;
}

double largestOf(Type element) {
  return element.isF16() ? 65504 : element.isF64() ? 1.7976931348623157e308 : 3.4028234663852886e38;
}

/// Aligned bytes with a fence behind.
class Buffer {
public:
  explicit Buffer(size_t size)
      : size(size),
        data(static_cast<uint8_t *>(::operator new(size + fenceBytes, std::align_val_t(64)))) {
    std::memset(data, fence, size + fenceBytes);
  }
  explicit Buffer(std::span<const uint8_t> bytes) : Buffer(bytes.size()) {
    if (size > 0)
      std::memcpy(data, bytes.data(), size);
  }
  Buffer(Buffer &&other) noexcept : size(other.size), data(std::exchange(other.data, nullptr)) {}
  Buffer &operator=(Buffer &&) = delete;
  ~Buffer() {
    if (data)
      ::operator delete(data, std::align_val_t(64));
  }
  [[nodiscard]] bool fenceStands() const {
    return std::all_of(data + size, data + size + fenceBytes, [](uint8_t b) { return b == fence; });
  }
  [[nodiscard]] std::span<const uint8_t> bytes() const { return {data, size}; }

  size_t size;
  uint8_t *data;
};

bool holds(func::FuncOp program, StringRef op) {
  return llvm::any_of(program.getBody().front(),
                      [&](Operation &o) { return o.getName().getStringRef() == op; });
}

std::string placeText(unsigned result, ArrayRef<int64_t> dims, size_t index) {
  std::vector<size_t> places(dims.size());
  for (size_t axis = dims.size(); axis-- > 0;) {
    places[axis] = index % static_cast<size_t>(dims[axis]);
    index /= static_cast<size_t>(dims[axis]);
  }
  std::string text;
  for (size_t place : places)
    text += (text.empty() ? "" : ", ") + std::to_string(place);
  return fmt::format("result {} [{}]", result, text);
}

/// Whether an infinity is right where float64 has a number beyond the type's.
bool overflowed(Type element, double found, double exact) {
  return std::isinf(found) && !std::isnan(exact) && std::signbit(found) == std::signbit(exact) &&
         std::fabs(exact) > 0.999 * largestOf(element);
}

std::optional<Mismatch> compareTensor(unsigned number, const interpreter::Tensor &found,
                                      const interpreter::Tensor &exact, double slack,
                                      const std::string &slackText) {
  Mismatch mismatch;
  if (found.dims != exact.dims || found.elements.size() != exact.elements.size()) {
    mismatch.element = fmt::format("result {}", number);
    mismatch.because = "its shape differs";
    return mismatch;
  }
  const bool real = found.isReal();
  const double scale = magnitudeOf(exact);
  const double epsilon = real ? epsilonOf(found.element) : 0;
  const double sums = std::min(epsilon, 0x1p-24) * roundings * scale;
  for (size_t i = 0; i != found.elements.size(); ++i) {
    double error = 0, tolerance = slack;
    if (!real) {
      const int64_t a = found.elements[i].integer, b = exact.elements[i].integer;
      if (a == b)
        continue;
      error = std::fabs(static_cast<double>(a) - static_cast<double>(b));
    } else {
      const double a = found.elements[i].real, b = exact.elements[i].real;
      if (a == b || (std::isnan(a) && std::isnan(b)) || overflowed(found.element, a, b))
        continue;
      error = std::fabs(a - b);
      if (std::isnan(error))
        error = HUGE_VAL;
      tolerance = slack + sums + 2 * epsilon * std::fabs(b) + largestOf(found.element) * 0x1p-1000;
      // The smallest numbers are rounded to a multiple of the smallest of all.
      if (!found.element.isF64())
        tolerance += found.element.isF16() ? 0x1p-24 : 0x1p-126;
    }
    if (error <= tolerance)
      continue;
    mismatch.element = placeText(number, found.dims, i);
    mismatch.got = real ? fmt::format("{}", found.elements[i].real)
                        : fmt::format("{}", found.elements[i].integer);
    mismatch.expected = real ? fmt::format("{}", exact.elements[i].real)
                             : fmt::format("{}", exact.elements[i].integer);
    mismatch.error = error;
    mismatch.tolerance = tolerance;
    mismatch.because =
        real ? fmt::format("2 roundings of the element, {} of the largest ({:.3g}), and {}",
                           roundings, scale, slackText)
             : "integers are exact";
    return mismatch;
  }
  return std::nullopt;
}

} // namespace

double magnitudeOf(const interpreter::Tensor &tensor) {
  double largest = 0;
  if (tensor.isReal())
    for (interpreter::Scalar e : tensor.elements)
      if (std::isfinite(e.real))
        largest = std::max(largest, std::fabs(e.real));
  return largest;
}

std::vector<double> differencesOf(ArrayRef<interpreter::Value> a, ArrayRef<interpreter::Value> b) {
  std::vector<double> largest;
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    double most = 0;
    if (x.isTensor() && y.isTensor() && x.tensor()->isReal())
      for (auto [p, q] : llvm::zip(x.tensor()->elements, y.tensor()->elements))
        if (std::isfinite(p.real) && std::isfinite(q.real))
          most = std::max(most, std::fabs(p.real - q.real));
    largest.push_back(most);
  }
  return largest;
}

std::optional<Mismatch> compareBits(ArrayRef<interpreter::Value> found,
                                    ArrayRef<interpreter::Value> expected,
                                    const std::string &what) {
  for (auto [number, pair] : llvm::enumerate(llvm::zip_equal(found, expected))) {
    auto [a, b] = pair;
    if (!a.isTensor() || !b.isTensor())
      continue;
    const interpreter::Tensor &x = *a.tensor(), &y = *b.tensor();
    const bool sameShape = x.dims == y.dims;
    // Elements of every type are held in 64 bits, without loss.
    auto same = [](interpreter::Scalar p, interpreter::Scalar q) { return p.integer == q.integer; };
    auto [at, other] = std::ranges::mismatch(x.elements, y.elements, same);
    if (sameShape && at == x.elements.end())
      continue;
    Mismatch mismatch;
    mismatch.element = "result " + std::to_string(number);
    mismatch.because = "its shape differs";
    if (sameShape) {
      const auto text = [&](interpreter::Scalar e) {
        return x.isReal() ? fmt::format("{}", e.real) : fmt::format("{}", e.integer);
      };
      mismatch.element = placeText(static_cast<unsigned>(number), x.dims,
                                   static_cast<size_t>(at - x.elements.begin()));
      mismatch.got = text(*at);
      mismatch.expected = text(*other);
      mismatch.because =
          what + " isn't what its kernels give, called one by one: no bit may differ";
    }
    return mismatch;
  }
  return std::nullopt;
}

std::optional<Mismatch> compareResults(ArrayRef<interpreter::Value> found,
                                       ArrayRef<interpreter::Value> exact, ArrayRef<double> slack,
                                       const std::string &slackText) {
  for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(found, exact))) {
    auto [a, b] = pair;
    if (a.isTensor() && b.isTensor())
      if (auto mismatch = compareTensor(static_cast<unsigned>(i), *a.tensor(), *b.tensor(),
                                        i < slack.size() ? slack[i] : 0, slackText))
        return mismatch;
  }
  return std::nullopt;
}

/// `found` with what `exact` has in place of minus infinity, which stands for what was left out.
static std::vector<interpreter::Value> filled(ArrayRef<interpreter::Value> found,
                                              ArrayRef<interpreter::Value> exact) {
  std::vector<interpreter::Value> result;
  for (auto [a, b] : llvm::zip_equal(found, exact)) {
    auto tensor = std::make_shared<interpreter::Tensor>(*a.tensor());
    for (auto [element, other] : llvm::zip_equal(tensor->elements, b.tensor()->elements))
      if (element.real == -std::numeric_limits<double>::infinity())
        element = other;
    result.emplace_back(std::move(tensor));
  }
  return result;
}

Expected<std::unique_ptr<KernelChecker>>
KernelChecker::create(ModuleOp programs, ModuleOp scheduled, const artifact::Module &artifact) {
  std::unique_ptr<KernelChecker> checker(new KernelChecker(programs));
  Expected<runtime::CodeLibrary> library = runtime::CodeLibrary::load(artifact);
  if (!library)
    return library.takeStatus();
  checker->library = std::move(*library);
  for (auto [kernel, code] : llvm::zip_equal(artifact.kernels, checker->library.kernels())) {
    auto function = scheduled.lookupSymbol<func::FuncOp>(kernel.name);
    auto units =
        function ? function->getAttrOfType<ir::ExprAttr>("relax.parallel_extent") : ir::ExprAttr();
    if (!units)
      continue;
    Kernel &entry = checker->kernels[kernel.name];
    entry.code = code;
    entry.strategy = kernel.strategy;
    entry.units = units.getExpr();
    if (auto names = function->getAttrOfType<ArrayAttr>(ir::RelaxDialect::kernelSymbolsAttr))
      for (auto name : names.getAsRange<StringAttr>())
        entry.symbols.push_back(name.str());
  }
  return checker;
}

/// A kernel's memory for one call.
struct KernelChecker::Buffers {
  std::vector<Buffer> inputs, outputs;
  std::vector<void *> pointers;

  /// `takesOver`: for each result the operand whose memory it is, or -1.
  void place(ArrayRef<int64_t> takesOver) {
    pointers.clear();
    for (Buffer &input : inputs)
      pointers.push_back(input.data);
    for (size_t i = 0; i != outputs.size(); ++i) {
      const int64_t operand = i < takesOver.size() ? takesOver[i] : -1;
      if (operand >= 0) {
        std::memcpy(outputs[i].data, inputs[static_cast<size_t>(operand)].data, outputs[i].size);
        pointers[static_cast<size_t>(operand)] = outputs[i].data;
      }
      pointers.push_back(outputs[i].data);
    }
  }
};

/// For one program by itself.
interpreter::Options KernelChecker::alone() const {
  interpreter::Options own = *options;
  own.callKernel = nullptr;
  own.maxSteps = maxSteps;
  return own;
}

Status KernelChecker::differs(Mismatch found) {
  found.function = function;
  mismatch = std::move(found);
  return Status(StatusCode::Internal, "a kernel differs");
}

Expected<KernelChecker::Values> KernelChecker::call(func::FuncOp program, const Kernel &kernel,
                                                    const Values &arguments,
                                                    const SymbolValues &symbols, Operation *call) {
  if (auto it = packedOnce.find(call); it != packedOnce.end())
    return it->second;
  Buffers buffers;
  for (auto [argument, type] : llvm::zip_equal(arguments, program.getArgumentTypes())) {
    const interpreter::Tensor &tensor = *argument.tensor();
    if (tensor.compiled)
      buffers.inputs.emplace_back(std::span<const uint8_t>(*tensor.compiled));
    else
      buffers.inputs.emplace_back(
          std::span<const uint8_t>(bytesOf(tensor, cast<TensorType>(type).getElementType())));
  }
  std::vector<std::vector<int64_t>> dims;
  for (Type type : program.getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    dims.emplace_back();
    for (Expr dim : ir::shapeOf(tensor))
      dims.back().push_back(symbolic::evaluate(dim, symbols).value_or(0));
    const size_t element = std::max(1U, tensor.getElementType().getIntOrFloatBitWidth() / 8);
    buffers.outputs.emplace_back(static_cast<size_t>(interpreter::elementCount(dims.back())) *
                                 element);
  }
  std::vector<int64_t> values;
  values.reserve(kernel.symbols.size());
  for (const std::string &name : kernel.symbols)
    values.push_back(symbols.at(name));
  ArrayRef<int64_t> takesOver;
  if (auto donates = cast<ir::CallKernelOp>(call).getDonates())
    takesOver = *donates;
  const int64_t units = symbolic::evaluate(kernel.units, symbols).value_or(0);
  const std::string name = program.getName().str();
  const bool wanted = comparing && (only.empty() || only == name) &&
                      std::chrono::steady_clock::now() < end && done.insert({name, symbols}).second;

  buffers.place(takesOver);
  if (units > 0)
    kernel.code(buffers.pointers.data(), values.data(), 0, units);
  bool fences = true;
  for (const Buffer &output : buffers.outputs)
    fences &= output.fenceStands();
  const bool packs = holds(program, "relax.pack_weights");
  Values results;
  for (auto [type, size, output] :
       llvm::zip_equal(program.getResultTypes(), dims, buffers.outputs)) {
    const Type element = cast<TensorType>(type).getElementType();
    interpreter::TensorPointer tensor =
        packs ? interpreter::makeTensor(element, {0}) : tensorOf(element, size, output.bytes());
    tensor->dims = size;
    tensor->compiled =
        std::make_shared<std::vector<uint8_t>>(output.bytes().begin(), output.bytes().end());
    results.emplace_back(std::move(tensor));
  }
  // The interpreter multiplies by what weights were packed from.
  if (packs && comparing) {
    auto packed = interpreter::interpretProgram(programs, program, arguments, symbols, *options);
    if (!packed)
      return packed.takeStatus();
    for (auto [mine, theirs] : llvm::zip_equal(results, *packed))
      mine.tensor()->packedFrom = theirs.tensor()->packedFrom;
    if (llvm::all_of(call->getOperands(),
                     [](Value v) { return v.getDefiningOp<ir::ConstantOp>(); }))
      packedOnce[call] = results;
    return results;
  }
  if (!wanted)
    return results;
  const bool enough =
      compared.lookup(name) >= minComparisons && spent.lookup(name) > secondsPerKernel;
  if (enough || tooLarge.lookup(name) > 0)
    return results;
  if (onKernel)
    onKernel(name, symbols);
  bool sameInParts = true;
  if (units > 1) {
    for (Buffer &output : buffers.outputs)
      std::memset(output.data, fence, output.size);
    buffers.place(takesOver);
    const int64_t cut = 1 + (units - 1) / 3;
    kernel.code(buffers.pointers.data(), values.data(), cut, units);
    kernel.code(buffers.pointers.data(), values.data(), 0, cut);
    for (auto [result, output] : llvm::zip_equal(results, buffers.outputs))
      sameInParts &= std::ranges::equal(*result.tensor()->compiled, output.bytes());
  }
  if (!fences) {
    Mismatch found;
    found.what = "kernel";
    found.name = name;
    found.strategy = kernel.strategy;
    found.symbols = symbols;
    found.because = "it writes behind its results";
    found.inputs = arguments;
    return differs(std::move(found));
  }
  const auto start = std::chrono::steady_clock::now();
  Status status = compare(program, kernel, arguments, symbols, results, sameInParts);
  if (status.code() == StatusCode::ResourceExhausted)
    ++tooLarge[name];
  else if (!status.ok())
    return status;
  spent[name] += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return results;
}

/// Quantised rows against what they stand for: half a step of the last plane at most.
static std::optional<std::string> quantisedWrongly(const interpreter::Tensor &x,
                                                   const interpreter::Tensor &values,
                                                   const interpreter::Tensor &scales,
                                                   const interpreter::Tensor &sums, double slack) {
  const int64_t rows = values.dims[0], planes = values.dims[1], depth = values.dims[2],
                blocks = depth / 32;
  for (int64_t row = 0; row != rows; ++row)
    for (int64_t block = 0; block != blocks; ++block)
      for (int64_t i = 0; i != 32; ++i) {
        double sum = 0, step = 0;
        for (int64_t plane = 0; plane != planes; ++plane) {
          const int64_t at = (row * planes + plane) * blocks + block;
          step = scales.elements[static_cast<size_t>(at)].real;
          sum +=
              step * static_cast<double>(values.elements[static_cast<size_t>(at * 32 + i)].integer);
          if (i != 0)
            continue;
          int64_t halves[2] = {0, 0};
          for (int64_t j = 0; j != 32; ++j)
            halves[j / 16] += values.elements[static_cast<size_t>(at * 32 + j)].integer;
          if (sums.elements[static_cast<size_t>(at)].integer !=
              interpreter::wrapToWidth(halves[1] * 65536 + (halves[0] & 0xFFFF), 32))
            return fmt::format("the sums of row {}, block {} aren't those of its values", row,
                               block);
        }
        const double exact = x.elements[static_cast<size_t>(row * depth + block * 32 + i)].real;
        if (std::isfinite(exact) && std::isfinite(step) &&
            std::fabs(sum - exact) >
                0.5001 * std::fabs(step) + slack + 0x1p-22 * std::fabs(exact) + 0x1p-126)
          return fmt::format(
              "row {}, element {}: {} stands for {}, more than half a step ({}) away", row,
              block * 32 + i, sum, exact, step);
      }
  return std::nullopt;
}

/// A program that quantises, whose values may fall to the other side of a tie: what is quantised is
/// computed in float64, and the result may be half a step away from it.
Expected<std::optional<Mismatch>> KernelChecker::compareQuantised(func::FuncOp program,
                                                                  const Values &arguments,
                                                                  const SymbolValues &symbols,
                                                                  const Values &found) {
  // The same program, which gives what it quantises instead.
  OwningOpRef<func::FuncOp> copy(program.clone());
  ir::QuantizeActivationsOp quantize;
  copy->walk([&](ir::QuantizeActivationsOp op) { quantize = op; });
  Operation *end = copy->getBody().front().getTerminator();
  SmallVector<Value> plain;
  Values others;
  const interpreter::Tensor *parts[3] = {};
  for (auto [operand, value] : llvm::zip_equal(end->getOperands(), found)) {
    if (operand.getDefiningOp() == quantize) {
      parts[cast<OpResult>(operand).getResultNumber()] = value.tensor().get();
    } else {
      plain.push_back(operand);
      others.push_back(value);
    }
  }
  plain.push_back(quantize.getX());
  end->setOperands(plain);
  interpreter::Options rounding = alone();
  auto exact = interpreter::interpretProgram(programs, *copy, arguments, symbols, rounding);
  if (!exact)
    return exact.takeStatus();
  rounding.rounding = interpreter::Rounding::Nearest;
  auto rounded = interpreter::interpretProgram(programs, *copy, arguments, symbols, rounding);
  if (!rounded)
    return rounded.takeStatus();
  std::vector<double> slack = differencesOf(*exact, *rounded);
  for (double &value : slack)
    value *= amplification;
  const interpreter::Tensor &x = *exact->back().tensor();
  std::optional<Mismatch> difference;
  if (parts[0] && parts[1] && parts[2])
    if (auto wrong = quantisedWrongly(x, *parts[0], *parts[1], *parts[2],
                                      slack.back() + 0x1p-24 * roundings * magnitudeOf(x))) {
      difference.emplace();
      difference->because = *wrong;
      return difference;
    }
  exact->pop_back();
  return compareResults(others, *exact, slack,
                        fmt::format("{} times what rounding each step changes", amplification));
}

Status KernelChecker::compare(func::FuncOp program, const Kernel &kernel, const Values &arguments,
                              const SymbolValues &symbols, const Values &found, bool sameInParts) {
  std::optional<Mismatch> difference;
  if (holds(program, "relax.likeliest_terms") || holds(program, "relax.likeliest_bounds") ||
      holds(program, "relax.likeliest_threshold")) {
    // Bounds may be any that hold, and there are none where nobody needs them. That they hold shows
    // in the products.
  } else if (!sameInParts) {
    difference.emplace();
    difference->because = "its result depends on how the work is split";
  } else if (holds(program, "relax.quantize_activations")) {
    auto quantised = compareQuantised(program, arguments, symbols, found);
    if (!quantised)
      return quantised.takeStatus();
    difference = std::move(*quantised);
  } else {
    interpreter::Options rounding = alone();
    // Products are the same in both runs: their operands are arguments, and sums aren't rounded.
    rounding.keptProducts = std::make_shared<interpreter::KeptProducts>();
    auto exact = interpreter::interpretProgram(programs, program, arguments, symbols, rounding);
    if (!exact)
      return exact.takeStatus();
    rounding.rounding = interpreter::Rounding::Nearest;
    auto rounded = interpreter::interpretProgram(programs, program, arguments, symbols, rounding);
    if (!rounded)
      return rounded.takeStatus();
    std::vector<double> slack = differencesOf(*exact, *rounded);
    for (double &value : slack)
      value *= amplification;
    difference = compareResults(
        holds(program, "relax.likeliest_matmul") ? filled(found, *exact) : found, *exact, slack,
        fmt::format("{} times what rounding each step changes", amplification));
  }
  ++compared[program.getName()];
  if (!difference)
    return {};
  difference->what = "kernel";
  difference->name = program.getName().str();
  difference->strategy = kernel.strategy;
  difference->symbols = symbols;
  difference->inputs = arguments;
  return differs(std::move(*difference));
}

Expected<KernelChecker::Values> KernelChecker::runKernels(ModuleOp module, StringRef name,
                                                          Values arguments,
                                                          const interpreter::Options &given) {
  function = name.str();
  options = &given;
  interpreter::Options running = given;
  running.callKernel = [&](func::FuncOp program, const Values &operands,
                           const SymbolValues &symbols,
                           Operation *call) -> std::optional<Expected<Values>> {
    auto it = kernels.find(program.getName());
    const auto ofTensors = [](const interpreter::Value &v) { return v.isTensor(); };
    if (it == kernels.end() || !llvm::all_of(operands, ofTensors))
      return std::nullopt;
    return this->call(program, it->second, operands, symbols, call);
  };
  return interpreter::interpretPrepared(module, name, std::move(arguments), running);
}

Status KernelChecker::run(StringRef name, Values arguments, const interpreter::Options &given) {
  comparing = true;
  auto results = runKernels(programs, name, std::move(arguments), given);
  return results ? Status() : results.takeStatus();
}

Expected<KernelChecker::Values> KernelChecker::runOnly(ModuleOp whole, StringRef name,
                                                       Values arguments,
                                                       const interpreter::Options &given) {
  comparing = false;
  return runKernels(whole, name, std::move(arguments), given);
}

} // namespace relax::driver
