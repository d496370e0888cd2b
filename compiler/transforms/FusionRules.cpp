#include "compiler/transforms/FusionRules.h"

#include "compiler/dialect/BlockFormat.h"
#include "compiler/dialect/Relax.h"
#include "compiler/symbolic/Prove.h"
#include "compiler/transforms/ByteSize.h"
#include "compiler/transforms/RowForm.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using relax::symbolic::Expr;
using relax::symbolic::Proof;

namespace relax::transforms {
namespace {

/// So many elements, computed twice, take about as long as the call of a kernel.
constexpr int64_t fewElements = 1024;

KernelKind kindOf(func::FuncOp program) {
  auto attribute = program->getAttrOfType<StringAttr>(ir::RelaxDialect::kindAttr);
  std::optional<KernelKind> kind;
  if (attribute)
    kind = parseKind(attribute.getValue());
  return kind ? *kind : classify(program);
}

FusionRole roleOfProgram(func::FuncOp program, KernelKind kind) {
  Operation *structured = nullptr;
  // Loops say in which order they compute.
  if (llvm::any_of(program.getBody().front(),
                   [](Operation &op) { return isa<scf::SCFDialect>(op.getDialect()); }))
    return FusionRole::Opaque;
  for (Operation &op : program.getBody().front())
    if (ir::isStructuredKernelOp(&op))
      structured = &op;
  if (structured) {
    if (isa<ir::QuantizeActivationsOp>(structured))
      return FusionRole::Quantize;
    if (isa<ir::UpdateSlotsOp>(structured))
      return FusionRole::UpdateSlots;
    if (isa<ir::PagedAttentionOp>(structured))
      return FusionRole::PagedAttention;
    return kind == KernelKind::OutputFusible ? FusionRole::PackedContraction : FusionRole::Opaque;
  }
  switch (kind) {
  case KernelKind::Elementwise:
  case KernelKind::Broadcast:
  case KernelKind::Injective:
    return FusionRole::Pointwise;
  case KernelKind::Reduction:
    return FusionRole::Reduction;
  case KernelKind::OutputFusible:
    return FusionRole::Contraction;
  case KernelKind::Opaque:
    return FusionRole::Opaque;
  }
  return FusionRole::Opaque;
}

/// Does a reduction read the argument through windows (a convolution)? It reads every element many
/// times, and a merged producer would compute it as often.
bool readsWindows(BlockArgument argument) {
  return llvm::any_of(argument.getUses(), [](OpOperand &use) {
    auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
    return op && op.getNumReductionLoops() > 0 &&
           !op.getMatchingIndexingMap(&use).isProjectedPermutation(/*allowZeroInResults=*/true);
  });
}

/// Whether strategies can compute the elements of a program's linalg ops one by one.
bool isPlain(func::FuncOp program) {
  return !program
              .walk([](linalg::LinalgOp op) {
                for (Operation &top : op.getBlock()->without_terminator()) {
                  WalkResult inner = top.walk([](Operation *scalar) {
                    bool known = isa<linalg::IndexOp, tensor::ExtractOp, tensor::DimOp,
                                     ir::SymbolValueOp, scf::YieldOp>(scalar) ||
                                 scalar->hasTrait<OpTrait::ConstantLike>() ||
                                 (isa<scf::IfOp>(scalar) && scalar->getNumResults() == 1) ||
                                 (OpTrait::hasElementwiseMappableTraits(scalar) &&
                                  scalar->getNumResults() == 1);
                    return known ? WalkResult::advance() : WalkResult::interrupt();
                  });
                  if (inner.wasInterrupted())
                    return WalkResult::interrupt();
                }
                return WalkResult::advance();
              })
              .wasInterrupted();
}

/// Whether attention's heads are made of the blocks that are quantised together.
bool quantisesWholeBlocks(ArrayRef<ir::CallKernelOp> attention) {
  auto type = dyn_cast<RankedTensorType>(attention.back()->getResult(0).getType());
  return attention.size() == 1 && type && type.getRank() == 3 && type.getDimSize(2) > 0 &&
         type.getDimSize(2) % ir::BlockFormat::unitElements == 0;
}

ArrayRef<Expr> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? ir::shapeOf(type) : ArrayRef<Expr>();
}

Expr elementsOf(Value value) {
  Expr count = ir::symbolicContext(value.getContext()).constant(1);
  for (Expr dim : shapeOf(value)) {
    if (!dim)
      return {};
    count = count * dim;
  }
  return count;
}

} // namespace

func::FuncOp FusionRules::programOf(ir::CallKernelOp call) const {
  auto program = table.lookup<func::FuncOp>(call.getCallee());
  return program && program->hasAttr(ir::RelaxDialect::kernelAttr) && !program.isDeclaration()
             ? program
             : func::FuncOp();
}

const FusionRules::Facts &FusionRules::factsOf(ir::CallKernelOp call) {
  func::FuncOp program = programOf(call);
  auto [it, inserted] = facts.try_emplace(program);
  if (!inserted || !program)
    return it->second;
  Facts result;
  result.kind = kindOf(program);
  result.role = isPlain(program) ? roleOfProgram(program, result.kind) : FusionRole::Opaque;
  program.walk([&](linalg::LinalgOp op) {
    result.costly |= isCostly(op);
    result.operations += std::distance(op.getBlock()->begin(), op.getBlock()->end()) - 1;
  });
  for (BlockArgument argument : program.getArguments()) {
    result.inPlace.push_back(readsElementwise(program, argument.getArgNumber()));
    result.windows.push_back(readsWindows(argument));
    result.reads.push_back(unsigned(std::distance(argument.use_begin(), argument.use_end())));
  }
  return facts[program] = result;
}

FusionRole FusionRules::roleOf(ir::CallKernelOp call) { return factsOf(call).role; }

FusionRole FusionRules::roleOf(ArrayRef<ir::CallKernelOp> calls) {
  FusionRole role = FusionRole::Pointwise;
  for (ir::CallKernelOp call : calls)
    role = std::max(role, roleOf(call));
  return role;
}

bool FusionRules::readsInPlace(ir::CallKernelOp call, unsigned operand) {
  const Facts &known = factsOf(call);
  return operand < known.inPlace.size() && known.inPlace[operand];
}

/// Into a call whose elements are computed one by one.
bool FusionRules::intoPointwise(const FusionEdge &edge, bool shared) {
  const Facts &consumer = factsOf(edge.consumer);
  bool inPlace = consumer.inPlace[edge.operand] && !edge.throughView;
  if (inPlace || (!shared && !factsOf(edge.producer).costly))
    return true;
  if (shared)
    return false;
  // A costly producer: only if about as many of its elements are read as there are, each of them at
  // one place. Few more cost less than a call of their own.
  Expr read = elementsOf(edge.consumer->getResult(0)),
       made = elementsOf(edge.producer->getResult(0));
  return consumer.reads[edge.operand] == 1 && read && made &&
         symbolic::proveLessEqual(read, made * 2 + fewElements, sizes) == Proof::Proved;
}

bool FusionRules::sameShape(ArrayRef<FusionEdge> edges, ArrayRef<Value> results) {
  ArrayRef<Expr> shape = shapeOf(edges.front().producer->getResult(edges.front().result));
  return llvm::all_of(results, [&](Value result) { return shapeOf(result) == shape; });
}

/// Builds the program to see whether it can be computed row by row.
bool FusionRules::worksByRows(const KernelGroup &merged) {
  func::FuncOp program = mergePrograms(merged, table).program;
  RowForm form(program);
  SmallVector<Value> roots;
  Value quantised;
  for (Value result : program.getBody().front().getTerminator()->getOperands()) {
    // What these ops make is computed from the rows of their operands.
    if (auto quantize = result.getDefiningOp<ir::QuantizeActivationsOp>())
      roots.push_back(quantised = quantize.getX());
    else if (auto update = result.getDefiningOp<ir::UpdateSlotsOp>())
      roots.push_back(update.getValues());
    else
      roots.push_back(result);
  }
  bool holds = form.holds(roots) && (!quantised || llvm::all_of(roots, [&](Value root) {
                 return shapeOf(root) == shapeOf(quantised);
               }));
  program.erase();
  return holds;
}

bool FusionRules::mayMerge(ArrayRef<ir::CallKernelOp> producers,
                           ArrayRef<ir::CallKernelOp> consumers, ArrayRef<FusionEdge> edges,
                           bool shared, const KernelGroup &merged) {
  FusionRole from = roleOf(producers), to = roleOf(consumers);
  auto all = [&](llvm::function_ref<bool(const FusionEdge &)> test) {
    return llvm::all_of(edges, test);
  };
  auto isPointwiseEdge = [&](const FusionEdge &edge) {
    return roleOf(edge.consumer) == FusionRole::Pointwise && intoPointwise(edge, shared);
  };
  bool inPlaceEverywhere = all([&](const FusionEdge &edge) {
    return !edge.throughView && roleOf(edge.consumer) == FusionRole::Pointwise &&
           factsOf(edge.consumer).kind <= KernelKind::Broadcast &&
           readsInPlace(edge.consumer, edge.operand);
  });
  switch (from) {
  case FusionRole::Pointwise:
    switch (to) {
    case FusionRole::Pointwise:
      return all(isPointwiseEdge) && (!shared || sameShape(edges, merged.results));
    case FusionRole::Reduction:
      if (shared)
        return all([](const FusionEdge &edge) { return !edge.throughView; }) && worksByRows(merged);
      return all(
          [&](const FusionEdge &edge) { return !factsOf(edge.consumer).windows[edge.operand]; });
    case FusionRole::Contraction:
      return all([&](const FusionEdge &edge) {
        if (roleOf(edge.consumer) == FusionRole::Pointwise)
          return !edge.throughView && readsInPlace(edge.consumer, edge.operand) &&
                 (!shared || sameShape(edges, merged.results));
        return !shared && !factsOf(edge.producer).costly &&
               !factsOf(edge.consumer).windows[edge.operand];
      });
    case FusionRole::PackedContraction:
      return inPlaceEverywhere && (!shared || sameShape(edges, merged.results));
    case FusionRole::Quantize:
      if (shared)
        return false;
      return all([&](const FusionEdge &edge) {
        return !edge.throughView &&
               (roleOf(edge.consumer) != FusionRole::Pointwise || intoPointwise(edge, shared));
      });
    case FusionRole::UpdateSlots:
      return !shared && all([&](const FusionEdge &edge) {
        return roleOf(edge.consumer) == FusionRole::Pointwise ? intoPointwise(edge, shared)
                                                              : edge.operand == 1;
      });
    default:
      return false;
    }
  case FusionRole::Reduction:
    if (to == FusionRole::Pointwise && inPlaceEverywhere && sameShape(edges, merged.results))
      return true;
    return (to == FusionRole::Pointwise || to == FusionRole::Reduction ||
            to == FusionRole::Quantize || (to == FusionRole::UpdateSlots && !shared)) &&
           worksByRows(merged);
  case FusionRole::PagedAttention:
    return to == FusionRole::Quantize && consumers.size() == 1 && !shared &&
           quantisesWholeBlocks(producers);
  case FusionRole::Contraction:
  case FusionRole::PackedContraction:
    return to == FusionRole::Pointwise && inPlaceEverywhere && sameShape(edges, merged.results);
  default:
    return false;
  }
}

bool FusionRules::isCheaperAgain(ir::CallKernelOp call) {
  const Facts &known = factsOf(call);
  if (known.role != FusionRole::Pointwise || known.costly || known.operations > 4 ||
      call.getNumResults() != 1 || call.getDonates())
    return false;
  symbolic::Context &context = ir::symbolicContext(call.getContext());
  Expr read = context.constant(0);
  for (Value input : call.getInputs()) {
    auto type = dyn_cast<RankedTensorType>(input.getType());
    Expr bytes = type ? byteSize(type) : Expr();
    if (!bytes)
      return false;
    read = read + bytes;
  }
  auto type = dyn_cast<RankedTensorType>(call->getResult(0).getType());
  Expr written = type ? byteSize(type) : Expr();
  return written && symbolic::proveLessEqual(read, written, sizes) == Proof::Proved;
}

} // namespace relax::transforms
