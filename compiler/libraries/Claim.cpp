#include "compiler/libraries/Claim.h"

#include "compiler/symbolic/Prove.h"
#include "compiler/transforms/SymbolScope.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::libraries {
namespace {

/// Ops that compute from their operands alone, with types that follow from these.
bool mayBeInside(Operation *op) {
  return isa_and_nonnull<ir::RelaxDialect>(op->getDialect()) && isPure(op) &&
         op->getNumRegions() == 0 && op->getNumOperands() != 0 && isa<InferTypeOpInterface>(op) &&
         !isa<ir::CallKernelOp, ir::CallLibraryOp, ir::CallOp, ir::CallIndirectOp,
              ir::IntroducesSymbols>(op);
}

std::string textWithoutName(func::FuncOp function) {
  StringAttr name = function.getSymNameAttr();
  function.setSymName("alternative");
  std::string text;
  llvm::raw_string_ostream stream(text);
  function.print(stream, OpPrintingFlags().useLocalScope());
  function.setSymNameAttr(name);
  return text;
}

} // namespace

FailureOr<SmallVector<Operation *>> regionOf(Operation *root, ValueRange inputs) {
  if (root->getNumResults() != 1 || !mayBeInside(root))
    return failure();
  llvm::SmallSetVector<Operation *, 8> region;
  region.insert(root);
  for (size_t i = 0; i < region.size(); ++i)
    for (Value operand : region[i]->getOperands()) {
      if (llvm::is_contained(inputs, operand))
        continue;
      Operation *producer = operand.getDefiningOp();
      if (!producer || producer->getBlock() != root->getBlock() || !mayBeInside(producer))
        return failure();
      region.insert(producer);
    }
  for (Operation *op : ArrayRef(region.getArrayRef()).drop_front())
    for (Operation *user : op->getUsers())
      if (!region.contains(user))
        return failure();
  SmallVector<Operation *> ordered(region.takeVector());
  llvm::sort(ordered, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

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
  FailureOr<SmallVector<Operation *>> region = regionOf(claim.root, claim.inputs);
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
  return outline(*region, claim.inputs) != nullptr;
}

/// The function that does what the region does; null where its types don't follow from its inputs.
func::FuncOp Claimer::outline(ArrayRef<Operation *> region, ValueRange inputs) {
  MLIRContext *context = module.getContext();
  symbolic::Context &symbols = ir::symbolicContext(context);
  std::map<Expr, Expr> own; // Sizes of the inputs, and the symbols that stand for them.
  ir::Bindings sizes;
  SmallVector<ir::SymbolDeclaration> declarations;
  SmallVector<Type> types;
  for (Value input : inputs) {
    auto tensor = cast<RankedTensorType>(input.getType());
    SmallVector<Expr> dims;
    for (Expr dim : ir::shapeOf(tensor)) {
      if (dim.isConstant()) {
        dims.push_back(dim);
        continue;
      }
      auto [it, inserted] = own.try_emplace(dim);
      if (inserted) {
        std::string name = "s" + std::to_string(declarations.size());
        it->second = symbols.symbol(name);
        sizes[name] = dim;
        declarations.push_back({StringAttr::get(context, name), 0, std::nullopt, 1});
      }
      dims.push_back(it->second);
    }
    types.push_back(ir::tensorType(context, dims, tensor.getElementType()));
  }
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto function = func::FuncOp::create(b, region.back()->getLoc(), "library_alternative",
                                       b.getFunctionType(types, {}));
  function.setPrivate();
  if (!declarations.empty())
    function->setAttr(ir::RelaxDialect::symbolsAttr, ir::SymbolsAttr::get(context, declarations));
  if (failed(fillBody(function, region, inputs, sizes))) {
    function.erase();
    return {};
  }
  auto [it, inserted] = alternatives.try_emplace(textWithoutName(function), function);
  if (!inserted) {
    function.erase();
    return it->second;
  }
  table.insert(function);
  return function;
}

LogicalResult Claimer::fillBody(func::FuncOp function, ArrayRef<Operation *> region,
                                ValueRange inputs, const ir::Bindings &sizes) {
  Block *body = function.addEntryBlock();
  OpBuilder b = OpBuilder::atBlockEnd(body);
  IRMapping mapping;
  mapping.map(inputs, body->getArguments());
  for (Operation *op : region) {
    std::set<std::string> names;
    for (NamedAttribute attribute : op->getAttrs())
      ir::collectSymbols(attribute.getValue(), names);
    if (!names.empty())
      return failure();
    Operation *copy = b.clone(*op, mapping);
    SmallVector<Type> types;
    if (failed(cast<InferTypeOpInterface>(copy).inferReturnTypes(
            copy->getContext(), std::nullopt, copy->getOperands(), copy->getAttrDictionary(),
            copy->getPropertiesStorage(), copy->getRegions(), types)) ||
        types.size() != copy->getNumResults())
      return failure();
    for (auto [result, type] : llvm::zip_equal(copy->getResults(), types))
      result.setType(type);
    // What the region's own function has checked isn't known here.
    SmallVector<ir::Constraint> unproved;
    if (auto checked = dyn_cast<ir::RuntimeChecked>(copy))
      checked.getConstraints(unproved);
    if (!unproved.empty())
      return failure();
  }
  Value result = body->back().getResult(0);
  if (ir::substitute(result.getType(), sizes) != region.back()->getResult(0).getType())
    return failure();
  func::ReturnOp::create(b, region.back()->getLoc(), result);
  function.setType(b.getFunctionType(body->getArgumentTypes(), result.getType()));
  return success();
}

void Claimer::eraseUnused() {
  llvm::DenseSet<StringRef> used;
  module.walk([&](ir::CallLibraryOp call) {
    if (call.getOtherwise())
      used.insert(*call.getOtherwise());
  });
  for (auto &entry : alternatives)
    if (!used.contains(entry.second.getSymName()))
      table.erase(entry.second);
  alternatives.clear();
}

ir::CallLibraryOp Claimer::make(RewriterBase &rewriter, const Claim &claim) {
  FailureOr<SmallVector<Operation *>> region = regionOf(claim.root, claim.inputs);
  if (failed(region))
    return {};
  FlatSymbolRefAttr otherwise;
  SmallVector<Attribute> when;
  SmallVector<int64_t> atLeast, tuned;
  MLIRContext *context = module.getContext();
  if (!claim.required) {
    func::FuncOp alternative = outline(*region, claim.inputs);
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
