#include "compiler/libraries/Claim.h"

#include "compiler/symbolic/Prove.h"
#include "compiler/transforms/SymbolScope.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::libraries {

void Claimer::enter(func::FuncOp function) { facts = transforms::factsAt(function); }

/// Whether the numbers can be reached: "at least 64" never holds where the sizes are at most 32.
bool Claimer::canHold(const Claim &claim) const {
  return llvm::all_of(claim.measures, [&](const Measure &measure) {
    if (!measure.expr)
      return false;
    int64_t least = std::min(measure.atLeast, measure.tuned.value_or(measure.atLeast));
    std::optional<int64_t> most = symbolic::bounds(measure.expr, facts).hi;
    return !most || *most >= least;
  });
}

bool Claimer::isLegal(const Claim &claim) {
  if (claim.inputs.empty() || claim.function.empty() || !canHold(claim))
    return false;
  FailureOr<SmallVector<Operation *>> region = transforms::regionOf(claim.root, claim.inputs);
  if (failed(region))
    return false;
  // What depends on constants alone is computed once, at load.
  if (llvm::all_of(claim.inputs, [](Value value) {
        return isa_and_nonnull<ir::ConstantOp, arith::ConstantOp>(value.getDefiningOp());
      }))
    return false;
  SmallVector<Value> values(claim.inputs);
  values.push_back(claim.root->getResult(0));
  bool sized = llvm::all_of(values, [](Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    return tensor && tensor.getElementType().isIntOrFloat() &&
           !llvm::is_contained(ir::shapeOf(tensor), Expr());
  });
  if (!sized || claim.required)
    return sized;
  return alternatives.outline(*region, claim.inputs) != nullptr;
}

void Claimer::eraseUnused() {
  llvm::DenseSet<StringRef> used;
  module.walk([&](ir::CallLibraryOp call) {
    if (call.getOtherwise())
      used.insert(*call.getOtherwise());
  });
  alternatives.eraseUnused([&](StringRef name) { return used.contains(name); });
}

ir::CallLibraryOp Claimer::make(RewriterBase &rewriter, const Claim &claim) {
  FailureOr<SmallVector<Operation *>> region = transforms::regionOf(claim.root, claim.inputs);
  if (failed(region))
    return {};
  FlatSymbolRefAttr otherwise;
  SmallVector<Attribute> when;
  SmallVector<int64_t> atLeast, tuned;
  MLIRContext *context = module.getContext();
  if (!claim.required) {
    func::FuncOp alternative = alternatives.outline(*region, claim.inputs);
    if (!alternative)
      return {};
    otherwise = FlatSymbolRefAttr::get(alternative.getSymNameAttr());
    for (const Measure &measure : claim.measures) {
      when.push_back(ir::ExprAttr::get(context, measure.expr));
      atLeast.push_back(measure.atLeast);
      if (measure.tuned)
        tuned.push_back(*measure.tuned);
    }
  }
  rewriter.setInsertionPoint(claim.root);
  DictionaryAttr measured;
  if (!tuned.empty() && tuned.size() == atLeast.size())
    measured = rewriter.getDictionaryAttr(
        {rewriter.getNamedAttr("at_least", rewriter.getDenseI64ArrayAttr(tuned)),
         rewriter.getNamedAttr("version", rewriter.getStringAttr(claim.version)),
         rewriter.getNamedAttr("cpu", rewriter.getStringAttr(claim.cpu))});
  auto call = ir::CallLibraryOp::create(
      rewriter, claim.root->getLoc(), claim.root->getResultTypes(), claim.function, claim.inputs,
      otherwise, ArrayAttr(), when.empty() ? ArrayAttr() : rewriter.getArrayAttr(when),
      atLeast.empty() ? DenseI64ArrayAttr() : rewriter.getDenseI64ArrayAttr(atLeast), measured,
      ArrayAttr());
  for (NamedAttribute option : claim.options)
    call->setDiscardableAttr(option.getName(), option.getValue());
  rewriter.replaceOp(claim.root, call);
  for (Operation *op : llvm::reverse(ArrayRef(*region).drop_back()))
    rewriter.eraseOp(op);
  return call;
}

} // namespace relax::libraries
