#include "compiler/transforms/FunctionSymbols.h"

#include "compiler/dialect/Lattice.h"
#include "compiler/dialect/Relax.h"
#include "compiler/dialect/ops/ArrangeOps.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"

using namespace mlir;

namespace relax::transforms {

static void collectFrom(Operation *op, std::set<std::string> &names) {
  for (Type type : op->getResultTypes())
    ir::collectSymbols(type, names);
  for (NamedAttribute attribute : op->getAttrs())
    ir::collectSymbols(attribute.getValue(), names);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        ir::collectSymbols(argument.getType(), names);
}

std::set<std::string> symbolsIn(func::FuncOp function) {
  std::set<std::string> names;
  ir::collectSymbols(function.getFunctionType(), names);
  if (auto symbols = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr))
    for (const ir::SymbolDeclaration &symbol : symbols.getDeclarations())
      names.insert(symbol.name.str());
  function.walk([&](Operation *op) {
    collectFrom(op, names);
    if (auto introduces = dyn_cast<ir::IntroducesSymbols>(op)) {
      SmallVector<ir::IntroducedSymbol> symbols;
      introduces.getIntroducedSymbols(symbols);
      for (const ir::IntroducedSymbol &symbol : symbols)
        names.insert(symbol.name.str());
    }
  });
  return names;
}

std::string FreshSymbols::make(const std::string &base) {
  std::string name = base;
  for (unsigned i = 1; !taken.insert(name).second; ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

/// A symbol of a view's shape may become 0, which, written there, would stand for the dimension of
/// x at that place. So what a 0 stands for is written instead.
static void keepZeros(ir::ViewOp view) {
  auto type = dyn_cast<RankedTensorType>(view.getX().getType());
  ArrayRef<symbolic::Expr> shape = view.getShape().getDims();
  if (view.getAllowZero() || !type ||
      llvm::all_of(shape, [](symbolic::Expr dim) { return !dim || dim.isConstant(); }))
    return;
  ArrayRef<symbolic::Expr> from = ir::shapeOf(type);
  SmallVector<symbolic::Expr> dims(shape);
  for (auto [i, dim] : llvm::enumerate(dims))
    if (dim && dim.isConstant(0)) {
      if (i >= from.size() || !from[i])
        return;
      dim = from[i];
    }
  view.setShapeAttr(ir::ShapeAttr::get(view.getContext(), dims));
  view.setAllowZero(true);
}

void substituteSymbols(Operation *op, const ir::Bindings &values) {
  if (auto view = dyn_cast<ir::ViewOp>(op))
    keepZeros(view);
  for (Value result : op->getResults())
    result.setType(ir::substitute(result.getType(), values));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        argument.setType(ir::substitute(argument.getType(), values));
  // A function's type has symbols of its own.
  if (!isa<ir::FunctionOp>(op))
    op->setAttrs(cast<DictionaryAttr>(ir::substitute(op->getAttrDictionary(), values)));
}

bool deduceAgain(Operation *op, SymbolTable &table) {
  SmallVector<Type> types;
  std::string message;
  auto signatureOf = [&]() -> FunctionType {
    if (auto call = dyn_cast<ir::CallOp>(op))
      if (auto callee = table.lookup<func::FuncOp>(call.getCallee()))
        return callee.getFunctionType();
    if (auto call = dyn_cast<ir::CallIndirectOp>(op))
      return cast<FunctionType>(call.getCallee().getType());
    return {};
  };
  if (FunctionType signature = signatureOf()) {
    ValueRange inputs = op->getOperands();
    if (isa<ir::CallIndirectOp>(op))
      inputs = inputs.drop_front();
    if (failed(ir::deduceCall(signature, inputs.getTypes(), types, message)))
      return false;
  } else if (auto deduced = dyn_cast<InferTypeOpInterface>(op)) {
    if (failed(deduced.inferReturnTypes(op->getContext(), std::nullopt, op->getOperands(),
                                        op->getAttrDictionary(), op->getPropertiesStorage(),
                                        op->getRegions(), types)))
      return false;
  } else {
    return false;
  }
  bool changed = false;
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types)) {
    changed |= result.getType() != type;
    result.setType(type);
  }
  return changed;
}

static bool mayNotRun(Operation *op) {
  return op->getParentOfType<ir::IfOp>() || op->getParentOfType<ir::WhileOp>();
}

void forgetRefuted(Operation *op, std::optional<FreshSymbols> &names, SymbolTable &table) {
  if (!mayNotRun(op) || !isRefused(op))
    return;
  if (!names)
    names.emplace(op->getParentOfType<func::FuncOp>());
  symbolic::Context &context = ir::symbolicContext(op->getContext());
  OpBuilder b(op);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type)
      continue;
    SmallVector<symbolic::Expr> unknown(type.getRank()), named;
    for (int64_t i = 0; i != type.getRank(); ++i)
      named.push_back(context.symbol(names->make("size")));
    auto erased = ir::EraseOp::create(
        b, op->getLoc(), ir::tensorType(b.getContext(), unknown, type.getElementType()),
        operand.get());
    operand.set(ir::MatchCastOp::create(
        b, op->getLoc(), ir::tensorType(b.getContext(), named, type.getElementType()), erased));
  }
  SmallVector<Type> stated(op->getResultTypes());
  deduceAgain(op, table);
  for (auto [result, type] : llvm::zip_equal(op->getResults(), stated))
    if (result.getType() != type)
      compareForUsers(result, type);
}

ir::MatchCastOp compareForUsers(Value value, Type type) {
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  auto cast = ir::MatchCastOp::create(b, value.getLoc(), type, value);
  value.replaceAllUsesExcept(cast, cast);
  return cast;
}

ir::MatchCastOp keepStated(ir::EraseOp op) {
  if (ir::isSubtypeOf(op.getValue().getType(), op.getType()) == symbolic::Proof::Proved)
    return {};
  OpBuilder b(op);
  auto cast = ir::MatchCastOp::create(b, op.getLoc(), op.getType(), op.getValue());
  op.getResult().replaceAllUsesWith(cast);
  op->erase();
  return cast;
}

bool isRefused(Operation *op) {
  ScopedDiagnosticHandler silent(op->getContext(), [](Diagnostic &) { return success(); });
  if (isa<ir::ReshapeOp>(op))
    return failed(op->getName().verifyInvariants(op));
  auto rule = dyn_cast<InferTypeOpInterface>(op);
  SmallVector<Type> types;
  return rule && failed(rule.inferReturnTypes(op->getContext(), std::nullopt, op->getOperands(),
                                              op->getDiscardableAttrDictionary(),
                                              op->getPropertiesStorage(), op->getRegions(), types));
}

void joinBranches(ir::IfOp branch) {
  std::set<std::string> inside;
  branch->walk([&](ir::IntroducesSymbols op) {
    SmallVector<ir::IntroducedSymbol> symbols;
    op.getIntroducedSymbols(symbols);
    for (const ir::IntroducedSymbol &symbol : symbols)
      inside.insert(symbol.name.str());
  });
  // What is compared, not introduced, has a value outside.
  for (Type type : branch->getResultTypes()) {
    std::set<std::string> outside;
    ir::collectSymbols(type, outside);
    for (const std::string &name : outside)
      inside.erase(name);
  }
  TypeRange first = branch.getThenRegion().front().getTerminator()->getOperandTypes();
  TypeRange second = branch.getElseRegion().front().getTerminator()->getOperandTypes();
  for (auto [result, a, b] : llvm::zip_equal(branch.getResults(), first, second))
    result.setType(ir::eraseSymbols(ir::join(a, b),
                                    [&](StringRef name) { return !inside.count(name.str()); }));
}

bool needsKernel(Operation *op) {
  if (!isa_and_nonnull<ir::RelaxDialect>(op->getDialect()) || op->getNumResults() == 0)
    return false;
  return !isa<ir::CallKernelOp, ir::CallOp, ir::CallIndirectOp, ir::CallPackedOp, ir::FunctionOp,
              ir::TupleOp, ir::TupleGetOp, ir::DataflowOp, ir::IfOp, ir::WhileOp, ir::MatchCastOp,
              ir::EraseOp, ir::ShapeOfOp, ir::ShapeOp, ir::TensorToShapeOp, ir::ShapeToTensorOp,
              ir::ReshapeToOp, ir::PrefixOp, ir::SymbolValueOp, ir::ConstantOp, ir::StateOp,
              ir::CallLibraryOp>(op);
}

} // namespace relax::transforms
