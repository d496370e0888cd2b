// The strategy row-reduction: reductions along the last dimension, and elementwise work on the same
// rows before, between and behind them.
//
// A tensor of such a program is *full*, indexed (outer..., j), or of *rows*, indexed (outer...). A
// unit is one row: each reduction in the program's order is one loop over the row, whose result is
// then a scalar; what elementwise ops make of such scalars is computed once; the results are a last
// loop. Full intermediates are recomputed in each loop that needs them, but for two kinds: what
// takes a math function and has the type of a result (softmax's exponentials) is stored in the
// result's memory by the first reduction that computes it, and read from there; so is a full
// intermediate that is a result itself. RowScalars.h has the reductions and the order in which they
// add.

#include "compiler/kernels/Cost.h"
#include "compiler/kernels/EmitUtils.h"
#include "compiler/kernels/PointwiseEmitter.h"
#include "compiler/kernels/RowScalars.h"
#include "compiler/kernels/Schedules.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using relax::symbolic::Expr;
using relax::transforms::RowForm;

namespace relax::kernels {
namespace {

class RowLoops {
public:
  RowLoops(KernelContext &context, const RowForm &form)
      : context(context), form(form), emitter(context), scalars(context, form, emitter) {}

  FailureOr<Schedule> build() {
    linalg::LinalgOp first = form.allReductions().front();
    symbolic::Context &symbols = ir::symbolicContext(context.b.getContext());
    Expr rows = symbols.constant(1);
    SmallVector<Value> extents;
    for (Expr dim : rowShape(first)) {
      rows = rows * dim;
      extents.push_back(context.exprValue(dim));
    }
    findKept();
    emitLoop(context, context.begin(), context.end(), context.index(1),
             [&](Value unit) { buildRow(emitDelinearize(context, unit, extents)); });
    return Schedule{rows, rows * rowCost(first)};
  }

private:
  /// The outer dimensions, from a result of the program.
  SmallVector<Expr> rowShape(linalg::LinalgOp reduction) {
    SmallVector<Expr> shape(context.shape(context.result(0)));
    shape.resize(reduction.getNumLoops() - 1);
    return shape;
  }

  /// Full tensors that a reduction reads at its own place, and that are read again afterwards: one
  /// that is a result, and one that is costly to compute and can lie in the memory of a result of
  /// its type that reads it in place. A fill is neither: nobody computes it, and none would store
  /// it.
  void findKept() {
    for (unsigned i = 0; i < context.numOutputs(); ++i)
      if (context.shape(context.result(i)) != context.shape(context.result(0)))
        return;
    llvm::DenseSet<unsigned> used;
    for (linalg::LinalgOp reduction : form.allReductions())
      for (OpOperand *input : reduction.getDpsInputOperands()) {
        Value tensor = input->get();
        auto producer = tensor.getDefiningOp<linalg::LinalgOp>();
        AffineMap full =
            AffineMap::getMultiDimIdentityMap(reduction.getNumLoops(), context.b.getContext());
        if (!producer || isa<linalg::FillOp>(producer) || producer.getNumReductionLoops() > 0 ||
            scalars.isKept(tensor) || reduction.getMatchingIndexingMap(input) != full)
          continue;
        for (unsigned i = 0; i < context.numOutputs(); ++i) {
          Value result = context.result(i);
          bool fits =
              result == tensor || (transforms::isCostly(producer) &&
                                   result.getType() == tensor.getType() && !form.isRow(result) &&
                                   !isReadByReduction(result) && readsOnlyInPlace(result, tensor));
          if (!fits || !used.insert(i).second)
            continue;
          scalars.keep(tensor, reduction, context.output(i));
          break;
        }
      }
  }

  bool isReadByReduction(Value tensor) {
    return llvm::any_of(tensor.getUsers(), [](Operation *user) {
      auto op = dyn_cast<linalg::LinalgOp>(user);
      return op && op.getNumReductionLoops() > 0;
    });
  }

  /// Each reduction and each full result is one pass over the row.
  Expr rowCost(linalg::LinalgOp first) {
    symbolic::Context &symbols = ir::symbolicContext(context.b.getContext());
    auto [operand, dimension] = loopExtent(first, first.getNumLoops() - 1);
    Expr length = context.shape(operand)[dimension];
    int64_t operations = 0;
    context.program.walk([&](Operation *op) { operations += isa<linalg::YieldOp>(op) ? 0 : 1; });
    if (!length)
      length = symbols.constant(1);
    int64_t transcendental = 0;
    context.program.walk([&](math::ExpOp) { transcendental += 16; });
    return length * (operations + transcendental + 1) + 1;
  }

  void buildRow(ArrayRef<Value> row) {
    scalars.bind(row);
    SmallVector<unsigned> full;
    for (unsigned i = 0; i < context.numOutputs(); ++i) {
      if (context.shape(context.result(i)).size() == row.size())
        emitStore(context, emitter.evaluate(context.result(i), row, 1), context.output(i), row);
      else
        full.push_back(i);
    }
    while (!full.empty()) {
      // Results of one length share a loop.
      Expr length = context.shape(context.result(full.front())).back();
      SmallVector<unsigned> group;
      llvm::erase_if(full, [&](unsigned i) {
        bool same = context.shape(context.result(i)).back() == length;
        if (same)
          group.push_back(i);
        return same;
      });
      buildResults(group, row, length);
    }
    scalars.unbind();
  }

  void buildResults(ArrayRef<unsigned> group, ArrayRef<Value> row, Expr length) {
    SmallVector<Value> tensors;
    for (unsigned i : group)
      tensors.push_back(context.result(i));
    emitVectorLoop(context, context.index(0), context.exprValue(length),
                   context.vectorLanes(context.b.getF32Type()), [&](Value j, int64_t lanes) {
                     SmallVector<Value> indices(row);
                     indices.push_back(j);
                     SmallVector<Value> values = emitter.evaluate(tensors, indices, lanes);
                     for (auto [i, value] : llvm::zip_equal(group, values))
                       emitStore(context, value, context.output(i), indices);
                   });
  }

  KernelContext &context;
  const RowForm &form;
  PointwiseEmitter emitter;
  RowScalars scalars;
};

class RowReductionStrategy : public KernelStrategy {
public:
  StringRef name() const override { return "row-reduction"; }
  bool matches(func::FuncOp program) const override {
    return RowForm(program).holds() &&
           llvm::all_of(program.getBody().front().getTerminator()->getOperands(),
                        [](Value result) { return PointwiseEmitter::check(result); });
  }
  FailureOr<Schedule> build(KernelContext &context) const override {
    RowForm form(context.program);
    if (!form.holds())
      return context.program.emitError("is not a program of row reductions");
    return RowLoops(context, form).build();
  }
};

} // namespace

const KernelStrategy &rowReductionStrategy() {
  static const RowReductionStrategy strategy;
  return strategy;
}

} // namespace relax::kernels
