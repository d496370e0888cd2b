// Replaces each graph op by a call of a tensor program.
//
// Before:  %y = relax.silu %x : (tensor<?x1536xf32, #relax.shape<[t, 1536]>>) -> …
//
// After:   %y = relax.call_kernel @silu(%x) {symbols = [#relax.expr<t>]} : …
//          func.func private @silu(%arg0: tensor<?x1536xf32, #relax.shape<[s0, 1536]>>) -> …
//              attributes {relax.kernel, relax.kernel_symbols = ["s0"]} { linalg.generic … }
// An op that is other graph ops (a squeeze, a split) becomes those first; what an op's program
// takes for granted of its operands (indices that are in range) is checked before it. A program's
// symbols are named s0, s1, … in the order in which the types of its operands and results name
// them, so that equal programs have equal texts. Ops with a strategy of their own
// (ir::isStructuredKernelOp) stay as they are inside their program. What has no computation stays
// in the graph: constants, states, reshapes, casts of annotations, calls. Test:
// tests/ir/transforms/legalize.mlir

#include "compiler/dialect/Deduction.h"
#include "compiler/kernels/programs/Passes.h"
#include "compiler/kernels/programs/Programs.h"
#include "compiler/transforms/FunctionSymbols.h"
#include "compiler/transforms/KernelSymbols.h"
#include "runtime/artifact/Artifact.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

/// Symbols of the types of operands and results, in the order in which dimensions name them, and of
/// attributes.
LogicalResult collectSymbols(Operation *op, TypeRange results, transforms::SymbolNames &names) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, results);
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return op->emitError("has an operand or result of type ")
             << type << "; only tensors can be compiled here";
    for (symbolic::Expr dim : ir::shapeOf(tensor)) {
      if (!dim)
        return op->emitError("has an operand or result of type ")
               << type << ", with a dimension whose size isn't known; give it a symbol by "
               << "relax.match_cast";
      transforms::appendSymbols(dim, names);
    }
  }
  symbolic::Context &context = ir::symbolicContext(op->getContext());
  for (NamedAttribute attribute : op->getAttrs()) {
    if (auto shape = dyn_cast<ir::ShapeAttr>(attribute.getValue())) {
      for (symbolic::Expr dim : shape.getDims())
        if (dim)
          transforms::appendSymbols(dim, names);
      continue;
    }
    std::set<std::string> used;
    ir::collectSymbols(attribute.getValue(), used);
    for (const std::string &name : used)
      transforms::appendSymbols(context.symbol(name), names);
  }
  return success();
}

/// Whether the runtime can hold values of these types, tuples' fields too; `what` has them.
LogicalResult checkRanks(Operation *op, const Twine &what, TypeRange types) {
  auto checkRank = [&](RankedTensorType type) {
    if (type.getRank() <= int64_t(artifact::maxRank))
      return WalkResult::advance();
    op->emitError() << what << " of type " << type << ", of rank " << type.getRank() << "; at most "
                    << artifact::maxRank << " dimensions can be compiled";
    return WalkResult::interrupt();
  };
  for (Type type : types)
    if (type.walk(checkRank).wasInterrupted())
      return failure();
  return success();
}

LogicalResult checkRanks(func::FuncOp function) {
  if (failed(checkRanks(function, "has an argument", function.getArgumentTypes())) ||
      failed(checkRanks(function, "has a result", function.getResultTypes())))
    return failure();
  WalkResult walked = function.walk([](Operation *op) {
    return failed(checkRanks(op, "has a result", op->getResultTypes())) ? WalkResult::interrupt()
                                                                        : WalkResult::advance();
  });
  return failure(walked.wasInterrupted());
}

/// A program is compiled for one element type.
LogicalResult checkTypes(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    if (isa<ir::AnyType>(getElementTypeOrSelf(type)))
      return op->emitError("has an operand or result of type ")
             << type << ", whose element type isn't known; give it one by relax.match_cast, to "
             << cast<ShapedType>(type).clone(Float32Type::get(op->getContext())) << ", say";
  }
  return success();
}

/// Extents that an op needs equal, and that a guard before it has compared: in each pair the first
/// is replaced by the second, pair after pair.
using EqualExtents = SmallVector<std::pair<Expr, Expr>, 2>;

/// `dim` with one name for what is equal. A symbol is replaced wherever it occurs, so that what
/// else is computed of it keeps its relation to the others.
Expr withEqualExtents(Expr dim, const EqualExtents &equal) {
  for (auto [from, to] : equal) {
    if (dim == from)
      dim = to;
    else if (dim && from.isSymbol())
      dim = symbolic::substitute(dim, {{from.symbolName(), to}});
  }
  return dim;
}

RankedTensorType withEqualExtents(RankedTensorType type, const EqualExtents &equal) {
  auto dims = llvm::map_to_vector(ir::shapeOf(type),
                                  [&](Expr dim) { return withEqualExtents(dim, equal); });
  return ir::tensorType(type.getContext(), dims, type.getElementType());
}

EqualExtents guardedExtents(Operation *op) {
  EqualExtents equal;
  auto checked = dyn_cast<ir::RuntimeChecked>(op);
  if (!checked || ir::isStructuredKernelOp(op))
    return equal;
  auto canBeReplaced = [](Expr dim, Expr by) {
    return by.isConstant() || (dim.isSymbol() && !by.usesSymbol(dim.symbolName()));
  };
  SmallVector<ir::Constraint> constraints;
  checked.getConstraints(constraints);
  for (const ir::Constraint &constraint : constraints) {
    if (constraint.kind != ir::ConstraintKind::Equal || !constraint.a || !constraint.b)
      continue;
    Expr from = withEqualExtents(constraint.b, equal), to = withEqualExtents(constraint.a, equal);
    // Of n and 2n, equal where both are 0, 2n is replaced.
    if (!canBeReplaced(from, to) && (canBeReplaced(to, from) || from.isSymbol()))
      std::swap(from, to);
    if (from != to && !from.isConstant())
      equal.emplace_back(from, to);
  }
  return equal;
}

bool isStaticallyEmpty(RankedTensorType type) { return llvm::is_contained(type.getShape(), 0); }

class Legalizer {
public:
  explicit Legalizer(ModuleOp module) : module(module), table(module) {}

  /// Writes what checks the operands of `op`.
  static LogicalResult check(Operation *op) {
    const ProgramEntry *entry = programEntryFor(op);
    OpBuilder b(op);
    return success(!entry || !entry->check || succeeded(entry->check(b, op)));
  }

  /// Replaces `op`; the values that stand for its results now.
  FailureOr<SmallVector<Value>> legalize(Operation *op) {
    SmallVector<Value> results;
    if (RewriteFunction decompose = decompositionFor(op)) {
      transforms::SymbolNames names;
      if (failed(collectSymbols(op, op->getResultTypes(), names)) ||
          failed(rewrite(op, [&](OpBuilder &b) { return decompose(b, op, results); }, results)))
        return failure();
    } else if (failed(callProgram(op, results))) {
      return failure();
    }
    op->replaceAllUsesWith(results);
    op->erase();
    return results;
  }

private:
  /// Lets `function` write graph ops before `op`, and legalises those; `values`, which the function
  /// fills, follow.
  LogicalResult rewrite(Operation *op, llvm::function_ref<LogicalResult(OpBuilder &)> function,
                        SmallVectorImpl<Value> &values) {
    OpBuilder b(op);
    Operation *before = op->getPrevNode();
    if (failed(function(b)))
      return failure();
    auto made = [&] {
      SmallVector<Operation *> ops;
      Operation *first = before ? before->getNextNode() : &op->getBlock()->front();
      for (Operation *next = first; next != op; next = next->getNextNode())
        if (decompositionFor(next) || programFor(next))
          ops.push_back(next);
      return ops;
    };
    for (Operation *next : made())
      if (failed(check(next)))
        return failure();
    for (Operation *next : made()) {
      SmallVector<Value> old(next->getResults());
      FailureOr<SmallVector<Value>> results = legalize(next);
      if (failed(results))
        return failure();
      for (Value &value : values)
        if (auto it = llvm::find(old, value); it != old.end())
          value = (*results)[it - old.begin()];
    }
    return success();
  }

  LogicalResult callProgram(Operation *op, SmallVectorImpl<Value> &values) {
    if (failed(checkTypes(op)))
      return failure();
    const ProgramEntry *entry = programEntryFor(op);
    SmallVector<Type> types(op->getResultTypes());
    // Where the extents are refuted, guards let no call come here.
    const bool neverRuns = (!entry || !entry->buffers) && !agreeOnExtents(op, types);
    transforms::SymbolNames names;
    if (entry && entry->buffers) {
      // The op's own results may name a symbol that only its execution gives a value.
      if (failed(collectSymbols(op, {}, names)))
        return failure();
      types = entry->buffers(op);
      names = {};
    }
    if (failed(collectSymbols(op, types, names)))
      return failure();
    transforms::KernelSymbols symbols = transforms::nameKernelSymbols(op->getContext(), names);
    OpBuilder b(op);
    func::FuncOp program = buildProgram(op, types, symbols.renaming, neverRuns);
    program->setAttr(ir::RelaxDialect::kernelSymbolsAttr, symbols.own);
    // The pages of a cache are updated where they are.
    DenseI64ArrayAttr donates;
    if (isa<ir::UpdateSlotsOp>(op))
      donates = b.getDenseI64ArrayAttr({0});
    auto call = ir::CallKernelOp::create(b, op->getLoc(), types, program.getName(),
                                         op->getOperands(), symbols.values, ArrayAttr(), donates);
    if (entry && entry->finish)
      return rewrite(
          op,
          [&](OpBuilder &builder) { return entry->finish(builder, op, call.getResults(), values); },
          values);
    for (auto [made, result] : llvm::zip(call.getResults(), op->getResults()))
      values.push_back(made.getType() == result.getType()
                           ? Value(made)
                           : ir::ReshapeOp::create(b, op->getLoc(), result.getType(), made));
    return success();
  }

  /// Whether a tensor of one type can never be one of the other.
  static bool isRefuted(RankedTensorType from, RankedTensorType to) {
    auto areUnequal = [](symbolic::Expr a, symbolic::Expr b) {
      return ir::prove(ir::ConstraintKind::Equal, a, b) == symbolic::Proof::Refuted;
    };
    return areUnequal(ir::elementCount(from.getContext(), ir::shapeOf(from)),
                      ir::elementCount(to.getContext(), ir::shapeOf(to))) ||
           llvm::any_of(llvm::zip_equal(ir::shapeOf(from), ir::shapeOf(to)), [&](auto dims) {
             return areUnequal(std::get<0>(dims), std::get<1>(dims));
           });
  }

  /// A program has one extent for each loop: views the operands as what was compared says, and
  /// takes that for the types of the results. False where it is refuted, as n = 1 where an extent
  /// is 3 * n - 5, or n = 1 where n is 3 * m, too.
  static bool agreeOnExtents(Operation *op, MutableArrayRef<Type> results) {
    const EqualExtents equal = guardedExtents(op);
    if (equal.empty())
      return true;
    SmallVector<std::pair<OpOperand *, RankedTensorType>> views;
    for (OpOperand &operand : op->getOpOperands())
      if (auto type = dyn_cast<RankedTensorType>(operand.get().getType())) {
        RankedTensorType agreed = withEqualExtents(type, equal);
        if (agreed == type)
          continue;
        if (isRefuted(type, agreed))
          return false;
        views.emplace_back(&operand, agreed);
      }
    OpBuilder b(op);
    for (auto [operand, agreed] : views)
      operand->set(ir::ReshapeOp::create(b, op->getLoc(), agreed, operand->get()));
    if (transforms::isRefused(op))
      return false;
    for (Type &type : results)
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        type = withEqualExtents(tensor, equal);
    return true;
  }

  func::FuncOp buildProgram(Operation *op, TypeRange resultTypes,
                            const std::map<std::string, symbolic::Expr> &renaming, bool neverRuns) {
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto rename = [&](TypeRange types) {
      return llvm::map_to_vector(
          types, [&](Type type) { return ir::signless(ir::substitute(type, renaming)); });
    };
    SmallVector<Type> inputs = rename(op->getOperandTypes()), results = rename(resultTypes);
    auto program = func::FuncOp::create(b, op->getLoc(), op->getName().stripDialect(),
                                        b.getFunctionType(inputs, results));
    program.setPrivate();
    program->setAttr(ir::RelaxDialect::kernelAttr, b.getUnitAttr());
    table.insert(program);
    Block *body = program.addEntryBlock();
    b.setInsertionPointToEnd(body);
    SmallVector<Value> values;
    if (ir::isStructuredKernelOp(op)) {
      OperationState state(op->getLoc(), op->getName(), body->getArguments(), results,
                           op->getAttrs());
      llvm::append_range(values, b.create(state)->getResults());
    } else {
      SmallVector<RankedTensorType> types =
          llvm::map_to_vector(results, [](Type type) { return cast<RankedTensorType>(type); });
      ProgramBuilder builder{b, op->getLoc(), op, body->getArguments(), types, &renaming};
      // Results without elements are made of nothing, whatever the op: loops over static extents of
      // 0 are not even well-formed. So are those that nobody will see.
      if (neverRuns || llvm::all_of(types, isStaticallyEmpty))
        for (RankedTensorType type : types)
          values.push_back(builder.filled(type, b.getZeroAttr(type.getElementType())));
      else
        values = programFor(op)(builder);
    }
    func::ReturnOp::create(b, op->getLoc(), values);
    return program;
  }

  ModuleOp module;
  SymbolTable table;
};

struct Legalize : PassWrapper<Legalize, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Legalize)
  explicit Legalize(bool forInterpreter) : forInterpreter(forInterpreter) {}
  StringRef getArgument() const override { return "relax-legalize"; }
  StringRef getDescription() const override {
    return "Replace each graph op by a call of a tensor program";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                    math::MathDialect, scf::SCFDialect, tensor::TensorDialect>();
  }
  void runOnOperation() override {
    for (auto function : graphFunctions())
      if (!forInterpreter && failed(checkRanks(function)))
        return signalPassFailure();
    for (Operation *op : graphOps())
      if (failed(Legalizer::check(op)))
        return signalPassFailure();
    Legalizer legalizer(getOperation());
    for (Operation *op : graphOps())
      if (failed(legalizer.legalize(op)))
        return signalPassFailure();
    if (forInterpreter)
      return;
    // Not computed is what stood for a result that nothing reads, such as a part of a split, and of
    // which only the shape was read.
    IRRewriter rewriter(&getContext());
    for (auto function : graphFunctions())
      (void)runRegionDCE(rewriter, function->getRegions());
  }

private:
  /// The ops of graph functions that become calls of programs.
  SmallVector<Operation *> graphOps() {
    SmallVector<Operation *> ops;
    for (auto function : graphFunctions())
      function.walk([&](Operation *op) {
        if (programFor(op) || decompositionFor(op) || ir::isStructuredKernelOp(op))
          ops.push_back(op);
      });
    return ops;
  }

  SmallVector<func::FuncOp> graphFunctions() {
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function->hasAttr(ir::RelaxDialect::kernelAttr))
        functions.push_back(function);
    return functions;
  }

  bool forInterpreter;
};

} // namespace

std::unique_ptr<Pass> createLegalizePass(bool forInterpreter) {
  return std::make_unique<Legalize>(forInterpreter);
}

void registerProgramsPasses() {
  registerPass([] { return createLegalizePass(); });
}

} // namespace relax::kernels
