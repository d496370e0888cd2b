// Makes every annotation as precise as it follows from the operands, in one walk.
//
// Before:  func.func @f(%x: tensor<?x4xf32, #relax.shape<[n, 4]>>, %c: tensor<i1>) ->
// tensor<?x4xf32> {
//            %0 = relax.exp %x : (tensor<?x4xf32, #relax.shape<[n, 4]>>) -> tensor<?x?xf32>
//            %1 = relax.if %c : tensor<i1> -> tensor<*xf32> {
//              relax.yield %x : …
//            } else {
//              relax.yield %0 : tensor<?x?xf32>
//            }
// After:     %0 and %1 have the type tensor<?x4xf32, #relax.shape<[n, 4]>>, and before the return
//            stands relax.erase %1 to the type that the signature promises.
//
// Signatures are contracts: they stay, and calls follow from them alone, so recursive functions
// need no iteration. What a loop
// carries becomes the join of what it starts from and what it yields. Where an op that isn't
// deduced (a call of a tensor program, an op of another dialect) is given a value that is now known
// more precisely, relax.erase gives it the annotation that it had; where what arrives isn't
// provably what is promised, relax.match_cast checks it. relax-opt reads only exact annotations, so
// that inexact text goes through `relax-opt --verify-each=0` or, like an importer, the C++ API.
//
// Test: tests/ir/transforms/deduce.mlir

#include "compiler/dialect/Lattice.h"
#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/transforms/FunctionSymbols.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/SymbolScope.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace relax::transforms {
namespace {

class Deducer {
public:
  Deducer(func::FuncOp function, SymbolTableCollection &tables)
      : function(function), tables(tables) {}

  LogicalResult run() {
    scope.addParameters(function);
    return deduceBlock(function.getBody().front());
  }

private:
  LogicalResult deduceBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(deduceOp(&op)))
        return failure();
    return success();
  }

  LogicalResult deduceOp(Operation *op) {
    if (isa<ir::IntroducesSymbols>(op))
      (void)scope.addIntroduced(op);
    if (auto inferred = dyn_cast<InferTypeOpInterface>(op))
      return deduceByRule(inferred);
    if (isa<ir::CallOp, ir::CallIndirectOp>(op))
      return deduceCall(op);
    if (auto value = dyn_cast<ir::FunctionOp>(op))
      return deduceFunctionValue(value);
    if (auto flow = dyn_cast<ir::DataflowOp>(op))
      return deduceDataflow(flow);
    if (auto branch = dyn_cast<ir::IfOp>(op))
      return deduceIf(branch);
    if (auto loop = dyn_cast<ir::WhileOp>(op))
      return deduceWhile(loop);
    if (isa<func::ReturnOp>(op))
      return arrive(op, function.getResultTypes());
    if (auto cast = dyn_cast<ir::CastOp>(op))
      return deduceCast(cast);
    if (auto erase = dyn_cast<ir::EraseOp>(op)) {
      keepStated(erase);
      return success();
    }
    // Their results are stated, not deduced, and their operands may be of any precision.
    if (isa<ir::MatchCastOp, ir::ReshapeOp, ir::CallPackedOp, ir::CallLibraryOp, ir::YieldOp,
            ir::ConditionOp, ir::CheckValuesOp, ir::GuardOp>(op))
      return success();
    return keepOperandTypes(op);
  }

  void setType(Value value, Type type) {
    if (value.getType() == type)
      return;
    before.try_emplace(value, value.getType());
    value.setType(type);
  }

  LogicalResult setTypes(Operation *op, TypeRange types) {
    for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
      setType(result, type);
    return success();
  }

  LogicalResult deduceByRule(InferTypeOpInterface op) {
    // What is found of sizes may refute an op in a branch or loop that never runs: there it keeps
    // what was written, and its sizes are compared when it runs.
    if (regionDepth != 0 &&
        llvm::any_of(op->getOperands(), [&](Value operand) { return before.contains(operand); }))
      if (isRefused(op) && failed(keepOperandTypes(op)))
        return failure();
    SmallVector<Type, 2> types;
    if (failed(op.inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                   op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
                                   op->getRegions(), types)))
      return failure();
    return setTypes(op, types);
  }

  /// The shape of the operand, the element type as it is written.
  LogicalResult deduceCast(ir::CastOp cast) {
    Type element = mlir::cast<TensorType>(cast.getResult().getType()).getElementType();
    setType(cast.getResult(), mlir::cast<TensorType>(cast.getX().getType()).clone(element));
    return success();
  }

  LogicalResult deduceCall(Operation *op) {
    FunctionType signature;
    OperandRange operands = op->getOperands();
    if (auto call = dyn_cast<ir::CallOp>(op)) {
      auto callee = tables.lookupNearestSymbolFrom<func::FuncOp>(op, call.getCalleeAttr());
      if (!callee)
        return op->emitOpError("[R5] calls @") << call.getCallee() << ", which is not a function";
      signature = callee.getFunctionType();
    } else {
      signature = cast<FunctionType>(cast<ir::CallIndirectOp>(op).getCallee().getType());
      operands = operands.drop_front();
    }
    SmallVector<Type> types;
    std::string message;
    if (signature.getNumInputs() != operands.size() ||
        signature.getNumResults() != op->getNumResults())
      return op->emitOpError("[R5] has ")
             << operands.size() << " operands and " << op->getNumResults()
             << " results; the callee has " << signature.getNumInputs() << " and "
             << signature.getNumResults();
    if (failed(ir::deduceCall(signature, operands.getTypes(), types, message)))
      return op->emitOpError("[R5] ") << message;
    return setTypes(op, types);
  }

  LogicalResult deduceFunctionValue(ir::FunctionOp op) {
    if (auto callee = tables.lookupNearestSymbolFrom<func::FuncOp>(op, op.getFunctionAttr()))
      setType(op.getResult(), callee.getFunctionType());
    return success();
  }

  LogicalResult deduceDataflow(ir::DataflowOp flow) {
    Block &block = flow.getBody().front();
    if (failed(deduceBlock(block)))
      return failure();
    return setTypes(flow, block.getTerminator()->getOperandTypes());
  }

  LogicalResult deduceRegion(Region &region) {
    SymbolScope::Mark mark = scope.mark();
    ++regionDepth;
    LogicalResult result = deduceBlock(region.front());
    --regionDepth;
    scope.release(mark);
    return result;
  }

  LogicalResult deduceIf(ir::IfOp branch) {
    if (failed(deduceRegion(branch.getThenRegion())) ||
        failed(deduceRegion(branch.getElseRegion())))
      return failure();
    TypeRange first = branch.getThenRegion().front().getTerminator()->getOperandTypes();
    TypeRange second = branch.getElseRegion().front().getTerminator()->getOperandTypes();
    if (first.size() != branch.getNumResults() || second.size() != branch.getNumResults())
      return branch.emitOpError("[R13] the branches yield ")
             << first.size() << " and " << second.size() << " values, but there are "
             << branch.getNumResults() << " results";
    SmallVector<Type> types;
    for (auto [a, b] : llvm::zip_equal(first, second))
      types.push_back(
          ir::eraseSymbols(ir::join(a, b), [&](StringRef name) { return scope.has(name); }));
    return setTypes(branch, types);
  }

  LogicalResult deduceWhile(ir::WhileOp loop) {
    SmallVector<Type> declared(loop.getResultTypes());
    // Loops deeper inside stay as they are written, so that the work stays linear.
    if (loopDepth >= maxNarrowedDepth || !narrow(loop)) {
      setCarried(loop, declared);
      if (failed(deduceTrip(loop)))
        return failure();
    }
    if (failed(arrive(loop, loop.getResultTypes())))
      return failure();
    return arrive(loop.getBody().front().getTerminator(), loop.getResultTypes());
  }

  LogicalResult deduceTrip(ir::WhileOp loop) {
    ++loopDepth;
    LogicalResult result = success(succeeded(deduceRegion(loop.getConditionRegion())) &&
                                   succeeded(deduceRegion(loop.getBody())));
    --loopDepth;
    return result;
  }

  void setCarried(ir::WhileOp loop, TypeRange types) {
    for (auto [index, type] : llvm::enumerate(types)) {
      setType(loop.getResult(index), type);
      for (Region *region : {&loop.getConditionRegion(), &loop.getBody()})
        setType(region->getArgument(index), type);
    }
  }

  /// Looks for more precise types that hold on every trip: first those of what the loop starts
  /// from; then joined with what it yields, until that says nothing new. False if that isn't soon,
  /// or a rule is violated on the way: what is written holds all the same.
  bool narrow(ir::WhileOp loop) {
    ScopedDiagnosticHandler silent(loop.getContext(), [](Diagnostic &) { return success(); });
    SmallVector<Type> declared(loop.getResultTypes());
    SmallVector<Type> carried(loop.getInits().getTypes());
    auto keep = [&](StringRef name) { return scope.has(name); };
    for (int round = 0; round < maxRounds; ++round) {
      for (auto [now, written] : llvm::zip_equal(carried, declared))
        if (ir::isSubtypeOf(now, written) != symbolic::Proof::Proved)
          return false;
      setCarried(loop, carried);
      if (failed(deduceTrip(loop)))
        return false;
      TypeRange yielded = loop.getBody().front().getTerminator()->getOperandTypes();
      bool stable = true;
      for (auto [now, next] : llvm::zip_equal(carried, yielded)) {
        Type joined = ir::eraseSymbols(ir::join(now, next), keep);
        stable &= joined == now;
        now = joined;
      }
      if (stable)
        return true;
    }
    return false;
  }

  /// The operands of `op` become provably of the promised types.
  LogicalResult arrive(Operation *op, TypeRange promised) {
    bool exact = isa<func::ReturnOp>(op);
    for (auto [operand, type] : llvm::zip(op->getOpOperands(), promised)) {
      Type found = operand.get().getType();
      std::string why;
      switch (found == type ? symbolic::Proof::Proved : ir::isSubtypeOf(found, type, {}, &why)) {
      case symbolic::Proof::Proved:
        if (exact && found != type)
          operand.set(convert<ir::EraseOp>(op, operand.get(), type));
        break;
      case symbolic::Proof::Unknown:
        operand.set(convert<ir::MatchCastOp>(op, operand.get(), type));
        break;
      case symbolic::Proof::Refuted:
        return op->emitOpError("value ") << operand.getOperandNumber() << " has the type " << found
                                         << ", but " << type << " is promised: " << why;
      }
    }
    return success();
  }

  template <typename OpTy> Value convert(Operation *op, Value value, Type type) {
    OpBuilder b(op);
    return OpTy::create(b, op->getLoc(), type, value);
  }

  LogicalResult keepOperandTypes(Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      auto it = before.find(operand.get());
      if (it == before.end() || it->second == operand.get().getType())
        continue;
      if (ir::isSubtypeOf(operand.get().getType(), it->second) == symbolic::Proof::Proved)
        operand.set(convert<ir::EraseOp>(op, operand.get(), it->second));
      else
        operand.set(convert<ir::MatchCastOp>(op, operand.get(), it->second));
    }
    return success();
  }

  func::FuncOp function;
  SymbolTableCollection &tables;
  static constexpr int maxRounds = 4, maxNarrowedDepth = 2;

  SymbolScope scope;
  int loopDepth = 0, regionDepth = 0;
  llvm::DenseMap<Value, Type> before; ///< Of the values whose type has changed.
};

struct Deduce : PassWrapper<Deduce, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Deduce)
  StringRef getArgument() const override { return "relax-deduce"; }
  StringRef getDescription() const override {
    return "Make every annotation as precise as it follows from the operands";
  }
  void runOnOperation() override {
    SymbolTableCollection tables;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration() || function->hasAttr(ir::RelaxDialect::kernelAttr))
        continue;
      if (failed(Deducer(function, tables).run()))
        return signalPassFailure();
    }
  }
};

} // namespace

LogicalResult deduceFunction(func::FuncOp function, SymbolTableCollection &tables) {
  return Deducer(function, tables).run();
}

std::unique_ptr<Pass> createDeducePass() { return std::make_unique<Deduce>(); }

} // namespace relax::transforms
