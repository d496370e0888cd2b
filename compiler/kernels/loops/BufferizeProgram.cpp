// Gives the tensors of a program of loops memory.
//
// Before:  %e = tensor.empty(%n) : tensor<?xf32, #relax.shape<[s0]>>
//          %y = scf.for %i = %c0 to %n step %c1 iter_args(%t = %e) { … tensor.insert %v into %t … }
//          return %y
//
// After:   scf.for %i = %c0 to %n step %c1 { … memref.store %v, %out[%i] … }
//
// Arguments are read-only memrefs, results are memrefs to write; one-shot bufferisation decides
// between an update in place and a copy. A kernel can't allocate: a buffer of static size becomes
// memory on the stack (64 KiB in all); the others are parts of the workspace that the caller gives
// (Workspace.cpp).

#include "compiler/dialect/Relax.h"
#include "compiler/kernels/loops/LoopPrograms.h"
#include "compiler/transforms/ByteSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/Bufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

constexpr int64_t stackBytes = 64 * 1024;

Type withoutShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? RankedTensorType::get(tensor.getShape(), tensor.getElementType()) : type;
}

/// Takes the symbolic shapes off every value of `op` and what is inside it.
void stripShapes(Operation *op) {
  op->walk([](Operation *inner) {
    for (Value result : inner->getResults())
      result.setType(withoutShape(result.getType()));
    for (Region &region : inner->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(withoutShape(argument.getType()));
  });
}

/// Notes at each tensor.empty how many bytes it has, as an expression over the program's symbols,
/// where its annotation says so. The note is in its location, which its memory takes over.
void noteSizes(Operation *op) {
  op->walk([](tensor::EmptyOp empty) {
    Expr bytes = transforms::byteSize(empty.getType());
    if (bytes)
      empty->setLoc(FusedLoc::get(empty.getContext(), {empty.getLoc()},
                                  ir::ExprAttr::get(empty.getContext(), bytes)));
  });
}

/// A tensor.empty has no content, so each use may have one of its own, and so memory of its own.
void separateEmpties(Operation *root) {
  SmallVector<tensor::EmptyOp> empties;
  root->walk([&](tensor::EmptyOp empty) { empties.push_back(empty); });
  for (tensor::EmptyOp empty : empties) {
    if (empty->use_empty()) { // The workspace, as a result.
      empty.erase();
      continue;
    }
    for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(empty->getUses()))) {
      OpBuilder b(empty);
      use.set(b.clone(*empty)->getResult(0));
    }
  }
}

/// The program's ops in the kernel, still on tensors; results go to the outputs.
void cloneProgram(KernelContext &context) {
  OpBuilder &b = context.b;
  Location loc = context.loc;
  IRMapping mapping;
  for (BlockArgument argument : context.program.getArguments()) {
    Value memref = context.input(argument.getArgNumber());
    Value tensor = bufferization::ToTensorOp::create(b, loc, withoutShape(argument.getType()),
                                                     memref, /*restrict=*/true,
                                                     /*writable=*/false);
    mapping.map(argument, tensor);
  }
  context.program.walk([&](ir::SymbolValueOp symbol) {
    mapping.map(symbol.getResult(), context.exprValue(symbol.getExpr().getExpr()));
  });
  Block &body = context.program.getBody().front();
  for (Operation &op : body.without_terminator())
    if (!isa<ir::SymbolValueOp>(op)) {
      Operation *clone = b.clone(op, mapping);
      noteSizes(clone);
      stripShapes(clone);
    }
  for (auto [i, result] : llvm::enumerate(body.getTerminator()->getOperands())) {
    if (isWorkspace(context.program, i))
      continue;
    auto copy = bufferization::MaterializeInDestinationOp::create(
        b, loc, Type(), mapping.lookup(result), context.output(i));
    copy.setRestrict(true);
    copy.setWritable(true);
  }
}

/// Symbols that are used inside a region were mapped, but their ops were cloned with it.
void eraseSymbolValues(KernelContext &context) {
  SmallVector<ir::SymbolValueOp> symbols;
  func::FuncOp(context.kernel).walk([&](ir::SymbolValueOp symbol) { symbols.push_back(symbol); });
  for (ir::SymbolValueOp symbol : symbols) {
    symbol.getResult().replaceAllUsesWith(context.exprValue(symbol.getExpr().getExpr()));
    symbol.erase();
  }
}

/// Arithmetic on whole tensors, as linalg ops, which have a place for their results.
void expandTensorArithmetic(func::FuncOp kernel) {
  WalkResult found = kernel.walk([](Operation *op) {
    bool isTensor = op->getNumResults() == 1 && isa<TensorType>(op->getResult(0).getType());
    return isTensor && OpTrait::hasElementwiseMappableTraits(op) ? WalkResult::interrupt()
                                                                 : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return;
  RewritePatternSet patterns(kernel.getContext());
  linalg::populateElementwiseToLinalgConversionPatterns(patterns);
  (void)applyPatternsGreedily(kernel, std::move(patterns));
}

/// Writes the copies that bufferisation found necessary as copies to a tensor.empty, which may turn
/// out to be a result: what a program makes of an argument by changing it, for instance.
void exposeCopies(func::FuncOp kernel) {
  SmallVector<bufferization::AllocTensorOp> allocations;
  kernel.walk([&](bufferization::AllocTensorOp allocation) {
    if (allocation.getCopy())
      allocations.push_back(allocation);
  });
  for (bufferization::AllocTensorOp allocation : allocations) {
    OpBuilder b(allocation);
    Location loc = allocation.getLoc();
    Value source = allocation.getCopy();
    auto type = cast<RankedTensorType>(source.getType());
    SmallVector<Value> sizes;
    for (int64_t i = 0; i < type.getRank(); ++i)
      if (type.isDynamicDim(i))
        sizes.push_back(tensor::DimOp::create(b, loc, source, i));
    Value empty = tensor::EmptyOp::create(b, loc, type, sizes);
    auto copy = linalg::CopyOp::create(b, loc, source, empty);
    allocation.getResult().replaceAllUsesWith(copy->getResult(0));
    allocation.erase();
  }
}

LogicalResult bufferize(func::FuncOp kernel) {
  IRRewriter rewriter(kernel.getContext());
  bufferization::OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = false;
  options.allowReturnAllocsFromLoops = true;
  bufferization::BufferizationState state;
  if (failed(bufferization::eliminateEmptyTensors(rewriter, kernel)) ||
      failed(bufferization::insertTensorCopies(kernel, options, state)))
    return failure();
  exposeCopies(kernel);
  if (failed(bufferization::eliminateEmptyTensors(rewriter, kernel)))
    return failure();
  return bufferization::runOneShotBufferize(kernel, options, state);
}

/// Folds what bufferisation leaves: casts, copies of a buffer to itself, values that loops carry
/// unchanged.
void simplify(func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  RewritePatternSet patterns(context);
  for (RegisteredOperationName op : context->getRegisteredOperations())
    if (llvm::is_contained({"memref", "scf", "bufferization", "tensor"}, op.getDialectNamespace()))
      op.getCanonicalizationPatterns(patterns, context);
  GreedyRewriteConfig config;
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Normal);
  (void)applyPatternsGreedily(kernel, std::move(patterns), config);
  // What was updated in place is copied to its own place by another view of it.
  IRRewriter rewriter(context);
  DominanceInfo dominance(kernel);
  eliminateCommonSubExpressions(rewriter, dominance, kernel);
  SmallVector<memref::CopyOp> copies;
  kernel.walk([&](memref::CopyOp copy) {
    if (copy.getSource() == copy.getTarget())
      copies.push_back(copy);
  });
  for (memref::CopyOp copy : copies)
    copy.erase();
}

int64_t byteSize(MemRefType type) {
  unsigned bits = type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
  return type.getNumElements() * ((bits + 7) / 8);
}

/// Buffers of static size move to the stack, in the entry block, as long as there is room.
void placeBuffers(func::FuncOp kernel) {
  SmallVector<memref::AllocOp> buffers;
  kernel.walk([&](memref::AllocOp alloc) { buffers.push_back(alloc); });
  int64_t total = 0;
  for (memref::AllocOp buffer : buffers) {
    MemRefType type = buffer.getType();
    if (!type.hasStaticShape() || total + byteSize(type) > stackBytes)
      continue; // Of the workspace.
    total += (byteSize(type) + 63) / 64 * 64;
    OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
    Value place = memref::AllocaOp::create(b, buffer.getLoc(),
                                           MemRefType::get(type.getShape(), type.getElementType()),
                                           b.getI64IntegerAttr(64));
    buffer.getResult().replaceAllUsesWith(place);
    buffer.erase();
  }
}

/// A copy between buffers that aren't dense becomes a loop; a dense one is one memcpy.
void expandCopies(func::FuncOp kernel) {
  SmallVector<memref::CopyOp> copies;
  kernel.walk([&](memref::CopyOp copy) { copies.push_back(copy); });
  for (memref::CopyOp copy : copies) {
    auto dense = [](Value v) {
      auto type = dyn_cast<MemRefType>(v.getType());
      return type && type.getLayout().isIdentity();
    };
    if (dense(copy.getSource()) && dense(copy.getTarget()))
      continue;
    OpBuilder b(copy);
    linalg::makeMemRefCopyOp(b, copy.getLoc(), copy.getSource(), copy.getTarget());
    copy.erase();
  }
}

} // namespace

LogicalResult bufferizeProgram(KernelContext &context) {
  func::FuncOp kernel = context.kernel;
  cloneProgram(context);
  eraseSymbolValues(context);
  expandTensorArithmetic(kernel);
  separateEmpties(kernel);
  if (failed(bufferize(kernel)))
    return failure();
  simplify(kernel);
  placeBuffers(kernel);
  expandCopies(kernel);
  return success();
}

} // namespace relax::kernels
