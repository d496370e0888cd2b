// Tensor programs as a user writes them, with linalg, scf and tensor ops, and functions of the
// host.

#include "tests/fuzz/programs/UserPrograms.h"
#include "tests/fuzz/programs/Generator.h"

#include "compiler/dialect/ops/CallOps.h"

#include "mlir/Parser/Parser.h"

#include <cstring>

using namespace mlir;

namespace relax::fuzz {
namespace {

/// A program of one operand of rank `rank` with dimensions a, b, …; $T is the element type, $X the
/// operand's type, $Y the result's, of the dimensions in `result`.
struct UserProgram {
  unsigned rank;
  bool floats; ///< Of floating-point numbers only.
  const char *result;
  const char *body;
};

constexpr UserProgram userPrograms[] = {
    // Each element by itself.
    {1, false, "a", R"(
      %n = relax.symbol_value <a>
      %e = tensor.empty(%n) : $Y
      %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]} ins(%x : $X) outs(%e : $Y) {
      ^bb0(%p: $T, %q: $T):
        %s = arith.add$K %p, %p : $T
        linalg.yield %s : $T
      } -> $Y
      return %y : $Y)"},
    // Transposed.
    {2, false, "b, a", R"(
      %n = relax.symbol_value <a>
      %m = relax.symbol_value <b>
      %e = tensor.empty(%m, %n) : $Y
      %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>,
                                            affine_map<(i, j) -> (i, j)>],
                           iterator_types = ["parallel", "parallel"]} ins(%x : $X) outs(%e : $Y) {
      ^bb0(%p: $T, %q: $T):
        linalg.yield %p : $T
      } -> $Y
      return %y : $Y)"},
    // Every element twice: the extent is an expression.
    {1, false, "2 * a", R"(
      %n = relax.symbol_value <2 * a>
      %two = arith.constant 2 : index
      %e = tensor.empty(%n) : $Y
      %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>],
                           iterator_types = ["parallel"]} outs(%e : $Y) {
      ^bb0(%q: $T):
        %i = linalg.index 0 : index
        %j = arith.divui %i, %two : index
        %p = tensor.extract %x[%j] : $X
        linalg.yield %p : $T
      } -> $Y
      return %y : $Y)"},
    // A recurrence: each trip reads what the one before wrote.
    {1, false, "a", R"(
      %n = relax.symbol_value <a>
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant $0 : $T
      %e = tensor.empty(%n) : $Y
      %y, %last = scf.for %i = %zero to %n step %one iter_args(%t = %e, %s = %start) -> ($Y, $T) {
        %p = tensor.extract %x[%i] : $X
        %sum = arith.add$K %p, %s : $T
        %next = tensor.insert %sum into %t[%i] : $Y
        scf.yield %next, %p : $Y, $T
      }
      return %y : $Y)"},
    // Rows, each on its own, with a loop inside.
    {2, false, "a", R"(
      %n = relax.symbol_value <a>
      %m = relax.symbol_value <b>
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %start = arith.constant $0 : $T
      %e = tensor.empty(%n) : $Y
      %y = scf.for %i = %zero to %n step %one iter_args(%t = %e) -> ($Y) {
        %sum = scf.for %j = %zero to %m step %one iter_args(%s = %start) -> ($T) {
          %p = tensor.extract %x[%i, %j] : $X
          %q = arith.add$K %s, %p : $T
          scf.yield %q : $T
        }
        %next = tensor.insert %sum into %t[%i] : $Y
        scf.yield %next : $Y
      }
      return %y : $Y)"},
    // A product with itself, transposed.
    {2, true, "a, a", R"(
      %n = relax.symbol_value <a>
      %start = arith.constant $0 : $T
      %e = tensor.empty(%n, %n) : $Y
      %f = linalg.fill ins(%start : $T) outs(%e : $Y) -> $Y
      %y = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
                                            affine_map<(i, j, k) -> (j, k)>,
                                            affine_map<(i, j, k) -> (i, j)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%x, %x : $X, $X) outs(%f : $Y) {
      ^bb0(%p: $T, %q: $T, %s: $T):
        %v = arith.mulf %p, %q : $T
        %w = arith.addf %s, %v : $T
        linalg.yield %w : $T
      } -> $Y
      return %y : $Y)"},
    // A branch inside.
    {1, false, "a", R"(
      %n = relax.symbol_value <a>
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %two = arith.constant 2 : index
      %start = arith.constant $0 : $T
      %e = tensor.empty(%n) : $Y
      %y = scf.for %i = %zero to %n step %one iter_args(%t = %e) -> ($Y) {
        %r = arith.remui %i, %two : index
        %even = arith.cmpi eq, %r, %zero : index
        %v = scf.if %even -> ($T) {
          %p = tensor.extract %x[%i] : $X
          scf.yield %p : $T
        } else {
          scf.yield %start : $T
        }
        %next = tensor.insert %v into %t[%i] : $Y
        scf.yield %next : $Y
      }
      return %y : $Y)"},
};

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string typeText(unsigned rank, const std::string &dims, const std::string &element) {
  std::string text = "tensor<";
  for (unsigned i = 0; i != rank; ++i)
    text += "?x";
  return text + element + ", #relax.shape<[" + dims + "]>>";
}

std::string replaced(std::string text, StringRef from, const std::string &to) {
  for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
  return text;
}

unsigned resultRank(const UserProgram &program) {
  return 1 + static_cast<unsigned>(StringRef(program.result).count(','));
}

std::string programText(const UserProgram &program, const std::string &name, Type element) {
  std::string symbols = program.rank == 1 ? "\"a\"" : "\"a\", \"b\"";
  std::string text = "func.func private @" + name +
                     "(%x: $X) -> $Y attributes {relax.kernel, relax.kernel_symbols = [" + symbols +
                     "]} {" + program.body + "\n}";
  std::string elementText = textOf(element);
  text =
      replaced(text, "$X", typeText(program.rank, program.rank == 1 ? "a" : "a, b", elementText));
  text = replaced(text, "$Y", typeText(resultRank(program), program.result, elementText));
  text = replaced(text, "$T", elementText);
  text = replaced(text, "$K", isa<FloatType>(element) ? "f" : "i");
  return replaced(text, "$0", isa<FloatType>(element) ? "0.0" : "0");
}

} // namespace

bool Generator::addKernelCall() {
  const UserProgram &program = oneOf(ArrayRef(userPrograms));
  Value x = tensor([&](RankedTensorType type) {
    Type element = type.getElementType();
    return type.getRank() == program.rank && !element.isUnsignedInteger() &&
           !element.isInteger(1) && (!program.floats || isa<FloatType>(element)) &&
           !llvm::is_contained(ir::shapeOf(type), symbolic::Expr());
  });
  if (!x)
    return false;
  auto type = cast<RankedTensorType>(x.getType());
  std::string name = prefix + "k" + std::to_string(numKernels++);
  OwningOpRef<ModuleOp> parsed =
      parseSourceString<ModuleOp>(programText(program, name, type.getElementType()), context);
  assert(parsed && "the text of a user's program is wrong");
  auto kernel = cast<func::FuncOp>(parsed->getBody()->front());
  kernel->moveBefore(module.getBody(), module.getBody()->begin());
  ir::Bindings bindings;
  SmallVector<Attribute> values;
  const char *names[] = {"a", "b"};
  for (auto [i, dim] : llvm::enumerate(ir::shapeOf(type))) {
    bindings[names[i]] = dim;
    values.push_back(ir::ExprAttr::get(context, dim));
  }
  Type result = ir::substituteOrErase(kernel.getFunctionType().getResult(0), bindings);
  OperationState state(loc, ir::CallKernelOp::getOperationName());
  state.addOperands(x);
  state.addTypes(result);
  state.addAttribute("callee", FlatSymbolRefAttr::get(context, name));
  state.addAttribute("symbols", b.getArrayAttr(values));
  add(b.create(state)->getResult(0));
  return true;
}

bool Generator::addHostCall() {
  Value x = tensor([](RankedTensorType type) { return type.getElementType().isF32(); });
  if (!x)
    return false;
  auto type = cast<RankedTensorType>(x.getType());
  bool library = chance(50) && !llvm::is_contained(ir::shapeOf(type), symbolic::Expr());
  OperationState state(loc, library ? ir::CallLibraryOp::getOperationName()
                                    : ir::CallPackedOp::getOperationName());
  state.addOperands(x);
  state.addAttribute("function", b.getStringAttr(library ? "fuzz.twice" : "fuzz.positive"));
  if (!library)
    state.addAttribute("pure", b.getUnitAttr());
  state.addTypes(library ? type
                         : ir::tensorType(context, {symbolic::Expr()}, type.getElementType()));
  add(b.create(state)->getResult(0));
  return true;
}

std::map<std::string, interpreter::HostFunction> interpretedHostFunctions() {
  using Arguments = std::span<const interpreter::Value>;
  using Results = Expected<std::vector<interpreter::Value>>;
  std::map<std::string, interpreter::HostFunction> functions;
  functions["fuzz.twice"] = [](Arguments arguments) -> Results {
    auto result = std::make_shared<interpreter::Tensor>(*arguments[0].tensor());
    for (interpreter::Scalar &element : result->elements)
      element.real *= 2;
    return std::vector<interpreter::Value>{interpreter::Value(result)};
  };
  functions["fuzz.positive"] = [](Arguments arguments) -> Results {
    auto result = std::make_shared<interpreter::Tensor>();
    result->element = arguments[0].tensor()->element;
    for (interpreter::Scalar element : arguments[0].tensor()->elements)
      if (element.real > 0)
        result->elements.push_back(element);
    result->dims.push_back(static_cast<int64_t>(result->elements.size()));
    return std::vector<interpreter::Value>{interpreter::Value(result)};
  };
  return functions;
}

static Status positive(runtime::PackedCall &call) {
  runtime::TensorView x = call.arguments[0].asTensor();
  int64_t count = 1;
  for (int64_t dim : x.dims)
    count *= dim;
  std::vector<float> kept;
  const float *elements = static_cast<const float *>(x.data);
  for (int64_t i = 0; i != count; ++i)
    if (elements[i] > 0)
      kept.push_back(elements[i]);
  std::array<int64_t, 1> dims = {static_cast<int64_t>(kept.size())};
  Expected<runtime::Value> result = call.allocate(artifact::DType::F32, dims);
  if (!result)
    return result.takeStatus();
  if (!kept.empty())
    std::memcpy(result->asTensor().data, kept.data(), kept.size() * sizeof(float));
  call.results[0] = std::move(*result);
  return {};
}

const runtime::Registry &hostFunctions() {
  static const runtime::Registry registry = [] {
    runtime::Registry functions;
    functions.add("fuzz.twice", [](const runtime::LibraryCall &call) -> Status {
      const auto *x = static_cast<const float *>(call.buffers[0]);
      auto *y = static_cast<float *>(call.buffers[1]);
      for (uint64_t i = 0; i != call.sizes[1] / sizeof(float); ++i)
        y[i] = x[i] * 2;
      return {};
    });
    functions.addPacked("fuzz.positive", positive, /*pure=*/true);
    return functions;
  }();
  return registry;
}

} // namespace relax::fuzz
