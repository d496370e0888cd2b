#include "compiler/transforms/GraphRegion.h"

#include "compiler/dialect/Relax.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::transforms {
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
  function.setSymName("region");
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

/// The function that does what the region does; null where its types don't follow from its inputs.
func::FuncOp RegionOutliner::outline(ArrayRef<Operation *> region, ValueRange inputs) {
  MLIRContext *context = module.getContext();
  symbolic::Context &symbols = ir::symbolicContext(context);
  std::map<Expr, Expr> stands; // Sizes of the inputs, and the symbols that stand for them.
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
      auto [it, inserted] = stands.try_emplace(dim);
      if (inserted) {
        std::string own = "s" + std::to_string(declarations.size());
        it->second = symbols.symbol(own);
        sizes[own] = dim;
        declarations.push_back({StringAttr::get(context, own), 0, std::nullopt, 1});
      }
      dims.push_back(it->second);
    }
    types.push_back(ir::tensorType(context, dims, tensor.getElementType()));
  }
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto function =
      func::FuncOp::create(b, region.back()->getLoc(), name, b.getFunctionType(types, {}));
  function.setPrivate();
  if (!declarations.empty())
    function->setAttr(ir::RelaxDialect::symbolsAttr, ir::SymbolsAttr::get(context, declarations));
  if (failed(fillBody(function, region, inputs, sizes))) {
    function.erase();
    return {};
  }
  auto [it, inserted] = functions.try_emplace(textWithoutName(function), function);
  if (!inserted) {
    function.erase();
    return it->second;
  }
  table.insert(function);
  return function;
}

LogicalResult RegionOutliner::fillBody(func::FuncOp function, ArrayRef<Operation *> region,
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

void RegionOutliner::eraseUnused(llvm::function_ref<bool(StringRef)> isUsed) {
  for (auto &entry : functions)
    if (!isUsed(entry.second.getSymName()))
      table.erase(entry.second);
  functions.clear();
}

} // namespace relax::transforms
