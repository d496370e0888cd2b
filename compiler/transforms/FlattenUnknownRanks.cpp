// Lets ops of one operand that work element by element run on tensors of unknown rank: on a flat
// view, whose only extent is named.
//
// Before:  %y = relax.exp %x : (tensor<*xf32>) -> tensor<*xf32>
//
// After:   %s = relax.shape_of %x : (tensor<*xf32>) -> !relax.shape<*>
//          %t = relax.shape_to_tensor %s : (!relax.shape<*>) -> tensor<?xi64>
//          %p = relax.prod %t : (tensor<?xi64>) -> tensor<i64>
//          %q = relax.reshape %p : tensor<i64> to tensor<1xi64>
//          %n = relax.tensor_to_shape %q {symbols = ["count"]} : … -> !relax.shape<[count]>
//          %f = relax.reshape_to %x, %n : … -> tensor<?xf32, #relax.shape<[count]>>
//          %e = relax.exp %f : … -> tensor<?xf32, #relax.shape<[count]>>
//          %y = relax.reshape_to %e, %s : (…, !relax.shape<*>) -> tensor<*xf32>
//
// Of a chain of such ops only the first is flattened, the last shaped again. Other ops need to know
// the rank: their verifiers ask for a match_cast. Linear in the number of ops. Test:
// tests/ir/transforms/flatten-unknown-ranks.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/dialect/ops/ReduceOps.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/FunctionSymbols.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace relax::transforms {
namespace {

bool isOfUnknownRank(Operation *op) {
  return needsKernel(op) && op->getNumOperands() == 1 && op->getNumResults() == 1 &&
         isa<UnrankedTensorType>(op->getOperand(0).getType()) &&
         isa<UnrankedTensorType>(op->getResult(0).getType());
}

class Flattener {
public:
  explicit Flattener(func::FuncOp function) : function(function), symbols(function) {}

  void run() {
    SmallVector<Operation *> ops;
    function.walk([&](Operation *op) {
      if (isOfUnknownRank(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      flatten(op);
    // A shape that only the next op of a chain took apart again isn't made.
    for (Value value : shaped)
      if (value.use_empty())
        value.getDefiningOp()->erase();
  }

private:
  /// A value's elements in a row, and its shape.
  struct Flat {
    Value elements, shape;
  };

  Flat flatOf(OpBuilder &b, Value value) {
    if (auto known = flats.find(value); known != flats.end())
      return known->second;
    Location loc = value.getLoc();
    b.setInsertionPointAfterValue(value);
    Value shape = ir::ShapeOfOp::create(b, loc, value);
    Value sizes = ir::ShapeToTensorOp::create(b, loc, shape);
    auto scalar = RankedTensorType::get({}, b.getI64Type());
    Value product = ir::ProdOp::create(b, loc, scalar, sizes, DenseI64ArrayAttr(), UnitAttr());
    symbolic::Context &context = ir::symbolicContext(b.getContext());
    Value one = ir::ReshapeOp::create(b, loc, product, ArrayRef(context.constant(1)));
    Value count =
        ir::TensorToShapeOp::create(b, loc, one, b.getStrArrayAttr({symbols.make("count")}));
    Flat flat{ir::ReshapeToOp::create(b, loc, value, count), shape};
    flats[value] = flat;
    return flat;
  }

  void flatten(Operation *op) {
    OpBuilder b(op);
    Flat flat = flatOf(b, op->getOperand(0));
    b.setInsertionPoint(op);
    Type element = cast<TensorType>(op->getResult(0).getType()).getElementType();
    Operation *made = b.clone(*op);
    made->setOperand(0, flat.elements);
    made->getResult(0).setType(cast<RankedTensorType>(flat.elements.getType()).clone(element));
    Value result = ir::ReshapeToOp::create(b, op->getLoc(), made->getResult(0), flat.shape);
    flats[result] = {made->getResult(0), flat.shape};
    shaped.push_back(result);
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
  }

  func::FuncOp function;
  FreshSymbols symbols;
  DenseMap<Value, Flat> flats;
  SmallVector<Value> shaped;
};

struct FlattenUnknownRanks : PassWrapper<FlattenUnknownRanks, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FlattenUnknownRanks)
  StringRef getArgument() const override { return "relax-flatten-unknown-ranks"; }
  StringRef getDescription() const override {
    return "Run elementwise ops on tensors of unknown rank by a flat view";
  }
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isGraphFunction(function))
        Flattener(function).run();
  }
};

} // namespace

std::unique_ptr<Pass> createFlattenUnknownRanksPass() {
  return std::make_unique<FlattenUnknownRanks>();
}

} // namespace relax::transforms
