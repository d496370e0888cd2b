//===- deduce.cpp - how long it takes to deduce and to verify a module ------------------------===//
//
// One function of N ops, for N from 10^3 to 10^6: elementwise ops, broadcasts, permutations,
// reshapes, casts that introduce symbols, branches, and calls of another function. Prints the time
// of relax-deduce, of relax-verify and of MLIR's own verifier, each per op; all should stay what
// they are as N grows. Then the same for functions of 10^4 ops of one kind, those with the longest
// rules.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/dialect/Relax.h"
#include "compiler/dialect/ops/ArrangeOps.h"
#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <limits>

using namespace mlir;
using namespace relax;

namespace {

class Graph {
public:
  explicit Graph(MLIRContext *context)
      : context(context), b(context), loc(b.getUnknownLoc()), module(ModuleOp::create(loc)),
        n(ir::symbolicContext(context).symbol("n")), wide(type({n, constant(64)})),
        tall(type({constant(64), n})) {}

  OwningOpRef<ModuleOp> make(int64_t numOps) {
    b.setInsertionPointToEnd(module->getBody());
    auto function = addFunction("f", {wide, RankedTensorType::get({}, b.getI1Type())});
    addFunction("callee", {wide}).setPrivate();
    b.setInsertionPointToStart(function.addEntryBlock());
    Value x = function.getArgument(0), condition = function.getArgument(1);
    for (int64_t made = 0; made < numOps;)
      x = addGroup(x, condition, made);
    func::ReturnOp::create(b, loc, x);
    return std::move(module);
  }

private:
  symbolic::Expr constant(int64_t value) { return ir::symbolicContext(context).constant(value); }
  RankedTensorType type(ArrayRef<symbolic::Expr> dims) {
    return ir::tensorType(context, dims, Float32Type::get(context));
  }

  func::FuncOp addFunction(StringRef name, ArrayRef<Type> inputs) {
    auto function = func::FuncOp::create(b, loc, name, b.getFunctionType(inputs, {wide}));
    function->setAttr(ir::RelaxDialect::symbolsAttr,
                      ir::SymbolsAttr::get(context, {{b.getStringAttr("n"), 0, 4096, 1}}));
    return function;
  }

  /// Sixteen ops of every sort.
  Value addGroup(Value x, Value condition, int64_t &made) {
    int64_t group = made / 16;
    Value y = x;
    for (int i = 0; i < 2; ++i) {
      y = ir::ExpOp::create(b, loc, y);
      y = ir::AddOp::create(b, loc, y, x);
    }
    Value t = ir::PermuteOp::create(b, loc, y, ArrayRef<int64_t>{1, 0});
    t = ir::TanhOp::create(b, loc, t);
    y = ir::PermuteOp::create(b, loc, t, ArrayRef<int64_t>{1, 0});
    Value flat = ir::ReshapeOp::create(b, loc, y, ArrayRef<symbolic::Expr>{n * 64});
    y = ir::ReshapeOp::create(b, loc, flat, ArrayRef<symbolic::Expr>{n, constant(64)});
    Value unknown = ir::EraseOp::create(
        b, loc, RankedTensorType::get({ShapedType::kDynamic, 64}, b.getF32Type()), y);
    symbolic::Expr fresh = ir::symbolicContext(context).symbol("m" + std::to_string(group));
    Value named = ir::MatchCastOp::create(b, loc, type({fresh, constant(64)}), unknown);
    named = ir::ReluOp::create(b, loc, named);
    Value back = ir::MatchCastOp::create(b, loc, wide, named);
    auto branch = ir::IfOp::create(b, loc, TypeRange{wide}, condition);
    {
      OpBuilder::InsertionGuard guard(b);
      b.createBlock(&branch.getThenRegion());
      ir::YieldOp::create(b, loc, ValueRange{back});
      b.createBlock(&branch.getElseRegion());
      ir::YieldOp::create(b, loc, ValueRange{y});
    }
    made += 16;
    return ir::CallOp::create(b, loc, TypeRange{wide}, "callee", branch.getResults())->getResult(0);
  }

  MLIRContext *context;
  OpBuilder b;
  Location loc;
  OwningOpRef<ModuleOp> module;
  symbolic::Expr n;
  RankedTensorType wide, tall;
};

/// The least processor time of three runs.
double nanosecondsPerOp(int64_t ops, llvm::function_ref<void()> action) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < 3; ++run) {
    std::clock_t start = std::clock();
    action();
    double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    best = std::min(best, seconds * 1e9 / static_cast<double>(ops));
  }
  return best;
}

void runPass(ModuleOp module, std::unique_ptr<Pass> pass) {
  PassManager manager(module->getContext());
  manager.enableVerifier(false);
  manager.addPass(std::move(pass));
  if (failed(manager.run(module)))
    std::exit(1);
}

/// The times of relax-deduce, relax-verify and MLIR's verifier, as one line.
void printTimes(const std::string &title, ModuleOp module) {
  int64_t ops = 0;
  module->walk([&](Operation *) { ++ops; });
  double deduce = nanosecondsPerOp(ops, [&] { runPass(module, transforms::createDeducePass()); });
  double rules = nanosecondsPerOp(ops, [&] { runPass(module, transforms::createVerifyPass()); });
  double mlir = nanosecondsPerOp(ops, [&] {
    if (failed(verify(module)))
      std::exit(1);
  });
  std::printf("%14s %16.0f %16.0f %16.0f\n", title.c_str(), deduce, rules, mlir);
}

/// Ops with the longest rules, x being [n, 64], y [m, 64] and w [64, 32].
constexpr std::pair<const char *, const char *> kinds[] = {
    {"slice",
     "relax.slice %x {axes = array<i64: 0>, starts = #relax.shape<[1]>, "
     "ends = #relax.shape<[-1]>} : (!x) -> tensor<?x64xf32, #relax.shape<[max(n - 2, 0), 64]>>"},
    {"slice to m", "relax.slice %x {axes = array<i64: 0>, starts = #relax.shape<[0]>, "
                   "ends = #relax.shape<[m]>} : (!x) -> tensor<?x64xf32, "
                   "#relax.shape<[max(min(n, m + n * min(max(0 - m, 0), 1)), 0), 64]>>"},
    {"broadcast", "relax.add %x, %y : (!x, !y) -> tensor<?x64xf32, "
                  "#relax.shape<[min(m, n, 1) - min(max(m, n), 1) + max(m, n), 64]>>"},
    {"concat", "relax.concat %x, %y : (!x, !y) -> tensor<?x64xf32, #relax.shape<[m + n, 64]>>"},
    {"view", "relax.view %x {shape = #relax.shape<[-1, 4]>} : (!x) -> "
             "tensor<?x4xf32, #relax.shape<[16 * n, 4]>>"},
    {"matmul", "relax.matmul %x, %w : (!x, tensor<64x32xf32>) -> "
               "tensor<?x32xf32, #relax.shape<[n, 32]>>"},
    {"einsum", "relax.einsum %x, %y {equation = \"nk,mk->mn\"} : (!x, !y) -> "
               "tensor<?x?xf32, #relax.shape<[m, n]>>"},
};

OwningOpRef<ModuleOp> parseAlike(MLIRContext *context, const std::string &op, int64_t count) {
  std::string text = "!x = tensor<?x64xf32, #relax.shape<[n, 64]>>\n"
                     "!y = tensor<?x64xf32, #relax.shape<[m, 64]>>\n"
                     "func.func @f(%x: !x, %y: !y, %w: tensor<64x32xf32>) attributes "
                     "{relax.symbols = #relax.symbols<n = [0, 4096], m = [0, 4096]>} {\n";
  for (int64_t i = 0; i < count; ++i)
    text += "%" + std::to_string(i) + " = " + op + "\n";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text + "return\n}", context);
  if (!module)
    std::exit(1);
  return module;
}

} // namespace

int main() {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<func::FuncDialect, ir::RelaxDialect>();
  std::printf("%14s %16s %16s %16s   (nanoseconds an op)\n", "ops", "relax-deduce", "relax-verify",
              "MLIR verifier");
  for (int64_t size : {1000, 10000, 100000, 1000000})
    printTimes(std::to_string(size), *Graph(&context).make(size));
  for (auto [title, op] : kinds)
    printTimes(title, *parseAlike(&context, op, 10000));
  return 0;
}
