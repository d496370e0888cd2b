// Drops states that need no memory of their own, once graph ops are calls of tensor programs: those
// that turned out to be a constant, or the elements of another state in another shape.
//
// Before:  func.func @initialize() -> (tensor<4xf32>, tensor<2x2xf32>)
//              attributes {relax.state_names = ["a", "b"]} {
//            %c = arith.constant dense<…> : tensor<4xf32>
//            %k = relax.call_kernel @k(%c) : …
//            %r = relax.reshape %k : tensor<4xf32> to tensor<2x2xf32>
//            return %c, %k, %r
//          }
//          … relax.state 0 "a", relax.state 1 "b", relax.state 2 "b"
//
// After:   @initialize returns %k alone; the others are the constant, and a reshape of state 0.
//
// A function that returns a constant, or one value twice, has no plan for its results, and
// @initialize must have one. Test: tests/ir/transforms/simplify-states.mlir

#include "compiler/dialect/Ops.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace relax::transforms {
namespace {

constexpr StringLiteral namesAttr = "relax.state_names";

/// What a state is instead: a constant, or state `kept` in another shape.
struct Replacement {
  Operation *constant = nullptr;
  unsigned kept = 0;
  Type keptType;
};

struct SimplifyStates : PassWrapper<SimplifyStates, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SimplifyStates)
  StringRef getArgument() const override { return "relax-simplify-states"; }
  StringRef getDescription() const override {
    return "Drop states that are constants, or another state in another shape";
  }

  void runOnOperation() override {
    auto initialize = getOperation().lookupSymbol<func::FuncOp>("initialize");
    if (!initialize || initialize.isDeclaration() || !initialize->hasAttr(namesAttr))
      return;
    auto ret = cast<func::ReturnOp>(initialize.getBody().front().getTerminator());
    auto names = initialize->getAttrOfType<ArrayAttr>(namesAttr);
    SmallVector<Replacement> replacements;
    SmallVector<Value> kept;
    SmallVector<Attribute> keptNames;
    llvm::DenseMap<Value, unsigned> keptRoots;
    for (auto [value, name] : llvm::zip_equal(ret.getOperands(), names)) {
      Replacement replacement;
      Value root = viewedValue(value);
      if (isa<ir::ConstantOp, arith::ConstantOp>(root.getDefiningOp())) {
        replacement.constant = root.getDefiningOp();
      } else {
        auto [it, inserted] = keptRoots.try_emplace(root, static_cast<unsigned>(kept.size()));
        if (inserted) {
          kept.push_back(value);
          keptNames.push_back(name);
        }
        replacement.kept = it->second;
        replacement.keptType = kept[it->second].getType();
      }
      replacements.push_back(replacement);
    }
    if (kept.size() == ret.getNumOperands())
      return;
    getOperation().walk([&](ir::StateOp state) {
      replace(state, replacements[static_cast<size_t>(state.getIndex())], keptNames);
    });
    if (kept.empty()) {
      initialize.erase();
      return;
    }
    ret->setOperands(kept);
    initialize.setType(FunctionType::get(&getContext(), {}, ValueRange(kept).getTypes()));
    initialize->setAttr(namesAttr, ArrayAttr::get(&getContext(), keptNames));
  }

  static void replace(ir::StateOp state, const Replacement &replacement,
                      ArrayRef<Attribute> keptNames) {
    OpBuilder b(state);
    Value value;
    if (replacement.constant)
      value = b.clone(*replacement.constant)->getResult(0);
    else
      value = ir::StateOp::create(b, state.getLoc(), replacement.keptType,
                                  b.getI64IntegerAttr(replacement.kept),
                                  cast<StringAttr>(keptNames[replacement.kept]));
    auto type = cast<RankedTensorType>(state.getType());
    if (value.getType() != type)
      value = ir::ReshapeOp::create(b, state.getLoc(), value, ir::shapeOf(type));
    state.replaceAllUsesWith(value);
    state.erase();
  }
};

} // namespace

std::unique_ptr<Pass> createSimplifyStatesPass() { return std::make_unique<SimplifyStates>(); }

} // namespace relax::transforms
