// Moves the scratch memory that tensor programs need to their callers, with its symbolic size.
//
// Before:  %y = relax.call_kernel @k(%x) {symbols = [#relax.expr<n>]} : (…) -> (!y)
//          func.func private @k(%x: …) -> !y_s0 { … %w = tensor.empty(%n) … return %y }
//
// After:   %y:2 = relax.call_kernel @k(%x) {symbols = [#relax.expr<n>]}
//              : (…) -> (!y, tensor<?xi8, #relax.shape<[4 * n]>>)
//          func.func private @k(%x: …) -> (!y_s0, tensor<?xi8, #relax.shape<[4 * s0]>>)
//              attributes {relax.workspace, …} { … %ws = tensor.empty(…) return %y, %ws }
//
// A kernel can't allocate. The workspace is a further result, which nothing reads, so that it is
// part of its caller's memory plan: it lives during the call only, and in a general function it
// comes from the pool. Only programs of loops need one (loops/Workspace.cpp): which tensors can't
// be updated in place, nor kept on the stack, is known when a program has been given memory, so it
// is given memory here on trial. Must run before the memory plan; wherever calls are (in functions
// that others call, in branches and loops), they are rewritten. Tests:
// tests/ir/transforms/lift-workspace.mlir, tests/ir/paper/7-workspace.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/kernels/KernelStrategy.h"
#include "compiler/kernels/Passes.h"
#include "compiler/kernels/ScheduleDialects.h"
#include "compiler/kernels/Schedules.h"
#include "compiler/kernels/Siblings.h"
#include "compiler/kernels/loops/LoopPrograms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

/// What `program` needs, by giving a copy of it memory.
FailureOr<Expr> bytesNeeded(func::FuncOp program, ir::TargetAttr target) {
  OpBuilder b(program);
  func::FuncOp copy = program.clone();
  b.insert(copy);
  copy.setName((program.getName() + ".trial").str());
  SmallVector<Type> arguments;
  for (Type type : llvm::concat<const Type>(program.getArgumentTypes(), program.getResultTypes())) {
    auto tensor = cast<RankedTensorType>(type);
    arguments.push_back(MemRefType::get(tensor.getShape(), tensor.getElementType()));
  }
  std::vector<std::string> symbols;
  if (auto names = program->getAttrOfType<ArrayAttr>(ir::RelaxDialect::kernelSymbolsAttr))
    for (Attribute name : names)
      symbols.push_back(cast<StringAttr>(name).str());
  arguments.append(symbols.size() + 2, b.getIndexType());
  auto kernel = func::FuncOp::create(b, program.getLoc(), (program.getName() + ".memory").str(),
                                     b.getFunctionType(arguments, {}));
  kernel.setPrivate();
  OpBuilder body = OpBuilder::atBlockEnd(kernel.addEntryBlock());
  func::ReturnOp::create(body, program.getLoc());
  FailureOr<Expr> bytes = failure();
  {
    KernelContext context(copy, kernel, target, symbols);
    SmallVector<Expr> extents = forallExtents(copy);
    if (succeeded(bufferizeProgram(context))) {
      Expr units;
      if (makeUnits(context, extents)) {
        units = ir::symbolicContext(b.getContext()).constant(1);
        for (Expr extent : extents)
          units = units * extent;
      }
      FailureOr<Workspace> workspace = findWorkspace(context, units);
      if (succeeded(workspace))
        bytes = workspace->bytes();
    }
  }
  kernel.erase();
  copy.erase();
  return bytes;
}

/// Adds the workspace to what the program returns.
void addResult(func::FuncOp program, RankedTensorType type, Expr bytes) {
  Operation *ret = program.getBody().front().getTerminator();
  OpBuilder b(ret);
  SmallVector<Value> sizes;
  if (!bytes.isConstant())
    sizes.push_back(
        ir::SymbolValueOp::create(b, program.getLoc(), ir::ExprAttr::get(b.getContext(), bytes)));
  Value memory = tensor::EmptyOp::create(b, program.getLoc(), type, sizes);
  ret->insertOperands(ret->getNumOperands(), memory);
  SmallVector<Type> results(program.getResultTypes());
  results.push_back(type);
  program.setFunctionType(b.getFunctionType(program.getArgumentTypes(), results));
  program->setAttr(workspaceAttr, b.getUnitAttr());
}

void addResult(ir::CallKernelOp call, Type type) {
  OpBuilder b(call);
  SmallVector<Type> results(call->getResultTypes());
  results.push_back(type);
  SmallVector<int64_t> donates;
  if (call.getDonates()) {
    donates.assign(call.getDonates()->begin(), call.getDonates()->end());
    donates.push_back(-1);
  }
  auto made = ir::CallKernelOp::create(
      b, call.getLoc(), results, call.getCallee(), call.getInputs(), call.getSymbols(), ArrayAttr(),
      call.getDonates() ? b.getDenseI64ArrayAttr(donates) : DenseI64ArrayAttr());
  call->replaceAllUsesWith(made->getResults().drop_back());
  call->erase();
}

struct LiftWorkspace : PassWrapper<LiftWorkspace, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LiftWorkspace)
  StringRef getArgument() const override { return "relax-lift-workspace"; }
  StringRef getDescription() const override {
    return "Give tensor programs the scratch memory that they need from their callers";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registerScheduleDialects(registry);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto target = module->getAttrOfType<ir::TargetAttr>(ir::RelaxDialect::targetAttr);
    if (!target)
      target = ir::TargetAttr::get(&getContext(), "x86-64-v2", ArrayRef<StringAttr>{}, 128u);
    // A program that a library's call falls back to has the library's results.
    llvm::DenseSet<StringAttr> alternatives;
    module.walk([&](ir::CallLibraryOp call) {
      if (auto otherwise = call.getOtherwiseAttr())
        alternatives.insert(otherwise.getAttr());
    });
    llvm::DenseMap<StringAttr, Expr> needed;
    for (auto program : llvm::to_vector(module.getOps<func::FuncOp>())) {
      if (!program->hasAttr(ir::RelaxDialect::kernelAttr) || program.isDeclaration() ||
          program->hasAttr(workspaceAttr) || alternatives.contains(program.getSymNameAttr()) ||
          findStrategy(program) != &loopsStrategy())
        continue;
      FailureOr<Expr> bytes = bytesNeeded(program, target);
      if (failed(bytes))
        return signalPassFailure();
      if (bytes->isConstant(0))
        continue;
      addResult(program,
                ir::tensorType(&getContext(), {*bytes}, IntegerType::get(&getContext(), 8)),
                *bytes);
      needed[program.getSymNameAttr()] = *bytes;
    }
    if (!needed.empty())
      rewriteCalls(module, needed);
  }

  static void rewriteCalls(ModuleOp module, const llvm::DenseMap<StringAttr, Expr> &needed) {
    SymbolTable table(module);
    SmallVector<ir::CallKernelOp> calls;
    module.walk([&](ir::CallKernelOp call) {
      if (needed.contains(call.getCalleeAttr().getAttr()))
        calls.push_back(call);
    });
    for (ir::CallKernelOp call : calls) {
      auto program = table.lookup<func::FuncOp>(call.getCallee());
      std::map<std::string, Expr> bindings;
      for (auto [name, value] :
           llvm::zip(program->getAttrOfType<ArrayAttr>(ir::RelaxDialect::kernelSymbolsAttr),
                     call.getSymbols()))
        bindings[cast<StringAttr>(name).str()] = cast<ir::ExprAttr>(value).getExpr();
      addResult(call, ir::substitute(program.getResultTypes().back(), bindings));
    }
  }
};

} // namespace

std::unique_ptr<Pass> createLiftWorkspacePass() { return std::make_unique<LiftWorkspace>(); }

} // namespace relax::kernels
