// Merges calls of tensor programs whose values pass element by element, and the programs with them.
//
// Before:  %a = relax.call_kernel @add(%x, %y) {symbols = [#relax.expr<2 * n>]} : …
//          %b = relax.call_kernel @relu(%a) {symbols = [#relax.expr<2 * n>]} : …
//
// After:   %b = relax.call_kernel @add_relu(%x, %y) {symbols = [#relax.expr<n>]} : …
//          func.func private @add_relu(%x: tensor<?xf32, #relax.shape<[2 * s0]>>, …)
//
// What merges, by the kinds of KernelKind.h:
//   - an elementwise, broadcast or injective producer into an elementwise, broadcast, injective or
//     reducing consumer, or into a contraction that is written as loops (dequantize into matmul)
//   - an elementwise or broadcast consumer onto a contraction or reduction, if it reads the result
//   at
//     the place that it computes (bias, residual, gate: the epilogue)
// but nothing into the input of a convolution, whose elements are read many times; and only if the
// value between them has no other use, so that nothing is computed twice, and no call between them
// takes over the storage of what the producer reads. Opaque programs, and those with several
// results, stay alone.
//
// The merged program's symbols are those of the function that holds the calls, in order of
// appearance: two programs that knew `2 * n` by one name each now share `n`, which becomes an
// argument even where no tensor has it as a dimension. Equal pairs are merged once. Linear in the
// number of calls. Tests: tests/ir/transforms/fuse-kernels.mlir, fuse-kernels-negative.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/KernelKind.h"
#include "compiler/transforms/KernelSymbols.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::transforms {
namespace {

/// Names of merged programs stay readable up to this length.
constexpr size_t maxNameLength = 60;

KernelKind kindOf(func::FuncOp program) {
  auto attribute = program->getAttrOfType<StringAttr>(ir::RelaxDialect::kindAttr);
  std::optional<KernelKind> kind;
  if (attribute)
    kind = parseKind(attribute.getValue());
  return kind ? *kind : classify(program);
}

bool isPointwise(KernelKind kind) { return kind <= KernelKind::Injective; }

/// Operands of ops with a strategy of their own are read from memory, whole.
bool hasStructuredOp(func::FuncOp program) {
  return llvm::any_of(program.getBody().front(),
                      [](Operation &op) { return ir::isStructuredKernelOp(&op); });
}

/// Does a reduction read one of the arguments through windows (a convolution)? It reads every
/// element many times, and a merged producer would compute it as often.
bool readsWindows(func::FuncOp program, ArrayRef<unsigned> arguments) {
  return llvm::any_of(arguments, [&](unsigned i) {
    return llvm::any_of(program.getArgument(i).getUses(), [](OpOperand &use) {
      auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
      return op && op.getNumReductionLoops() > 0 &&
             !op.getMatchingIndexingMap(&use).isProjectedPermutation(/*allowZeroInResults=*/true);
    });
  });
}

bool mayMerge(func::FuncOp producer, func::FuncOp consumer, ArrayRef<unsigned> operands) {
  KernelKind from = kindOf(producer), to = kindOf(consumer);
  if (isPointwise(from))
    return isPointwise(to) || ((to == KernelKind::Reduction ||
                                (to == KernelKind::OutputFusible && !hasStructuredOp(consumer))) &&
                               !readsWindows(consumer, operands));
  if (from == KernelKind::Opaque || to > KernelKind::Broadcast)
    return false;
  return llvm::all_of(operands, [&](unsigned i) { return readsElementwise(consumer, i); });
}

/// The symbols of the holding function that `call` passes, in order of appearance.
void appendSymbols(ir::CallKernelOp call, SymbolNames &names) {
  for (Attribute attribute : call.getSymbols())
    transforms::appendSymbols(cast<ir::ExprAttr>(attribute).getExpr(), names);
}

/// The values of a program's own symbols in terms of the merged program's.
std::map<std::string, Expr> symbolValues(ir::CallKernelOp call, func::FuncOp program,
                                         const std::map<std::string, Expr> &renaming) {
  std::map<std::string, Expr> values;
  auto names = program->getAttrOfType<ArrayAttr>(ir::RelaxDialect::kernelSymbolsAttr);
  if (!names)
    return values;
  for (auto [name, value] : llvm::zip(names, call.getSymbols()))
    values[cast<StringAttr>(name).str()] =
        symbolic::substitute(cast<ir::ExprAttr>(value).getExpr(), renaming);
  return values;
}

/// Rewrites every type and attribute of `op` and below with `values` for symbols.
void substituteIn(Operation *op, const std::map<std::string, Expr> &values) {
  op->walk([&](Operation *inner) {
    for (Value result : inner->getResults())
      result.setType(ir::substitute(result.getType(), values));
    inner->setAttrs(cast<DictionaryAttr>(ir::substitute(inner->getAttrDictionary(), values)));
  });
}

class Fuser {
public:
  explicit Fuser(ModuleOp module) : module(module), table(module) {}

  void run(func::FuncOp function) {
    function.walk([&](Block *block) {
      for (Operation &op : llvm::make_early_inc_range(*block))
        if (auto call = dyn_cast<ir::CallKernelOp>(op))
          mergeProducers(call);
    });
  }

  void eraseUnusedKernels() {
    llvm::DenseSet<StringAttr> used;
    module.walk([&](ir::CallKernelOp call) { used.insert(call.getCalleeAttr().getAttr()); });
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function.isPrivate() && function->hasAttr(ir::RelaxDialect::kernelAttr) &&
          !used.contains(function.getSymNameAttr()))
        function.erase();
  }

private:
  func::FuncOp calleeOf(ir::CallKernelOp call) {
    auto program = table.lookup<func::FuncOp>(call.getCallee());
    return program && program->hasAttr(ir::RelaxDialect::kernelAttr) ? program : func::FuncOp();
  }

  /// Merges producers into `call` as long as one can be.
  void mergeProducers(ir::CallKernelOp call) {
    for (bool changed = true; changed;) {
      changed = false;
      for (Value input : call.getInputs()) {
        auto producer = input.getDefiningOp<ir::CallKernelOp>();
        if (!producer || !canMerge(producer, call))
          continue;
        call = merge(producer, call);
        changed = true;
        break;
      }
    }
  }

  bool canMerge(ir::CallKernelOp producer, ir::CallKernelOp consumer) {
    if (producer->getBlock() != consumer->getBlock() || producer->getNumResults() != 1 ||
        consumer->getNumResults() != 1 || producer.getDonates() || consumer.getDonates() ||
        !llvm::all_of(producer->getUsers(), [&](Operation *user) { return user == consumer; }))
      return false;
    if (overwrittenBetween(producer, consumer))
      return false;
    func::FuncOp from = calleeOf(producer), to = calleeOf(consumer);
    return from && to && mayMerge(from, to, operandsFrom(producer, consumer));
  }

  /// Merging reads the producer's inputs where the consumer is; is the storage of one taken over
  /// before that?
  static bool overwrittenBetween(ir::CallKernelOp producer, ir::CallKernelOp consumer) {
    return llvm::any_of(producer.getInputs(), [&](Value input) {
      return llvm::any_of(input.getUses(), [&](OpOperand &use) {
        auto call = dyn_cast<ir::CallKernelOp>(use.getOwner());
        std::optional<ArrayRef<int64_t>> donates = call ? call.getDonates() : std::nullopt;
        return donates && llvm::is_contained(*donates, use.getOperandNumber()) &&
               call->getBlock() == consumer->getBlock() && call->isBeforeInBlock(consumer);
      });
    });
  }

  static SmallVector<unsigned> operandsFrom(ir::CallKernelOp producer, ir::CallKernelOp consumer) {
    SmallVector<unsigned> operands;
    for (auto [i, input] : llvm::enumerate(consumer.getInputs()))
      if (input == producer->getResult(0))
        operands.push_back(i);
    return operands;
  }

  ir::CallKernelOp merge(ir::CallKernelOp producer, ir::CallKernelOp consumer) {
    SymbolNames names;
    appendSymbols(producer, names);
    appendSymbols(consumer, names);
    KernelSymbols symbols = nameKernelSymbols(module.getContext(), names);
    OpBuilder b(consumer);

    llvm::SetVector<Value> inputs(producer.getInputs().begin(), producer.getInputs().end());
    for (Value input : consumer.getInputs())
      if (input != producer->getResult(0))
        inputs.insert(input);

    func::FuncOp merged = mergePrograms(producer, consumer, inputs.getArrayRef(), symbols);
    auto call = ir::CallKernelOp::create(b, consumer.getLoc(), consumer->getResultTypes(),
                                         merged.getName(), inputs.getArrayRef(), symbols.values,
                                         ArrayAttr(), DenseI64ArrayAttr());
    consumer->replaceAllUsesWith(call);
    consumer->erase();
    producer->erase();
    return call;
  }

  func::FuncOp mergePrograms(ir::CallKernelOp producer, ir::CallKernelOp consumer,
                             ArrayRef<Value> inputs, const KernelSymbols &symbols) {
    const std::map<std::string, Expr> &renaming = symbols.renaming;
    func::FuncOp from = calleeOf(producer), to = calleeOf(consumer);
    OpBuilder b(from);
    SmallVector<Type> inputTypes, resultTypes;
    for (Value input : inputs)
      inputTypes.push_back(ir::signless(ir::substitute(input.getType(), renaming)));
    for (Type type : consumer->getResultTypes())
      resultTypes.push_back(ir::signless(ir::substitute(type, renaming)));
    std::string name = from.getName().str() + "_" + to.getName().str();
    if (name.size() > maxNameLength)
      name.resize(maxNameLength);
    auto merged = func::FuncOp::create(b, consumer.getLoc(), name,
                                       b.getFunctionType(inputTypes, resultTypes));
    merged.setPrivate();
    merged->setAttr(ir::RelaxDialect::kernelAttr, b.getUnitAttr());
    merged->setAttr(ir::RelaxDialect::kernelSymbolsAttr, symbols.own);
    table.insert(merged);

    Block *body = merged.addEntryBlock();
    b.setInsertionPointToEnd(body);
    auto argumentOf = [&](Value input) {
      return body->getArgument(llvm::find(inputs, input) - inputs.begin());
    };
    auto cloneBody = [&](ir::CallKernelOp call, func::FuncOp program, Value fused) {
      IRMapping mapping;
      std::map<std::string, Expr> values = symbolValues(call, program, renaming);
      for (auto [argument, input] : llvm::zip(program.getArguments(), call.getInputs()))
        mapping.map(argument, fused && input == producer->getResult(0) ? fused : argumentOf(input));
      for (Operation &op : program.getBody().front().without_terminator())
        substituteIn(b.clone(op, mapping), values);
      return mapping.lookup(program.getBody().front().getTerminator()->getOperand(0));
    };
    Value between = cloneBody(producer, from, {});
    Value result = cloneBody(consumer, to, between);
    func::ReturnOp::create(b, consumer.getLoc(), result);
    merged->setAttr(ir::RelaxDialect::kindAttr, b.getStringAttr(kindName(classify(merged))));
    return merged;
  }

  ModuleOp module;
  SymbolTable table;
};

struct FuseKernels : PassWrapper<FuseKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseKernels)
  StringRef getArgument() const override { return "relax-fuse-kernels"; }
  StringRef getDescription() const override {
    return "Merge calls of tensor programs, and the programs, where values pass elementwise";
  }
  void runOnOperation() override {
    Fuser fuser(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr(ir::RelaxDialect::kernelAttr) && !function.isDeclaration())
        fuser.run(function);
    fuser.eraseUnusedKernels();
  }
};

} // namespace

std::unique_ptr<Pass> createFuseKernelsPass() { return std::make_unique<FuseKernels>(); }

} // namespace relax::transforms
