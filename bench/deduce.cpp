//===- deduce.cpp - how long it takes to deduce and to verify a module ------------------------===//
//
// One function of N ops, for N from 10^3 to 10^6: elementwise ops, broadcasts, permutations,
// reshapes, casts that introduce symbols, branches, and calls of another function. Prints the time
// of relax-deduce, of relax-verify and of MLIR's own verifier, each per op; all should stay what
// they are as N grows.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/dialect/Relax.h"
#include "compiler/dialect/ops/ArrangeOps.h"
#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
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

} // namespace

int main() {
  std::printf("%10s %16s %16s %16s   (nanoseconds an op)\n", "ops", "relax-deduce", "relax-verify",
              "MLIR verifier");
  for (int64_t size : {1000, 10000, 100000, 1000000}) {
    MLIRContext context(MLIRContext::Threading::DISABLED);
    context.loadDialect<func::FuncDialect, ir::RelaxDialect>();
    OwningOpRef<ModuleOp> module = Graph(&context).make(size);
    int64_t ops = 0;
    module->walk([&](Operation *) { ++ops; });
    double deduce =
        nanosecondsPerOp(ops, [&] { runPass(*module, transforms::createDeducePass()); });
    double rules = nanosecondsPerOp(ops, [&] { runPass(*module, transforms::createVerifyPass()); });
    double mlir = nanosecondsPerOp(ops, [&] {
      if (failed(verify(*module)))
        std::exit(1);
    });
    std::printf("%10lld %16.0f %16.0f %16.0f\n", static_cast<long long>(ops), deduce, rules, mlir);
  }
  return 0;
}
