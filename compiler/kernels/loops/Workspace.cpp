// Memory that a program of loops needs beside its arguments and results.
//
// Before:  func.func @k(%in: memref<?xf32>, %out: memref<?xf32>, %ws: memref<?xi8>, %s0: index, …)
// {
//            %w = memref.alloc(%s0) : memref<?xf32> …
//
// After:   func.func @k(%in: memref<?xf32>, %out: memref<?xf32>, %ws: memref<?xi8>, %s0: index, …)
// {
//            %w = memref.view %ws[%c0][%s0] : memref<?xi8> to memref<?xf32> …
//
// %ws is the memory of the program's last result, which relax-lift-workspace added. What is
// allocated inside a unit of a kernel of several units has a part for each of them, since they run
// at the same time; anything else has one. A buffer that a loop makes anew on each trip is the same
// part every time.

#include "compiler/dialect/Relax.h"
#include "compiler/kernels/EmitUtils.h"
#include "compiler/kernels/loops/LoopPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

constexpr int64_t alignment = 64;

/// The bytes of a buffer, rounded up; null where they aren't known.
Expr bytesOf(memref::AllocOp buffer) {
  symbolic::Context &symbols = ir::symbolicContext(buffer.getContext());
  MemRefType type = buffer.getType();
  Expr bytes;
  if (type.hasStaticShape()) {
    unsigned bits = type.getElementType().isIndex() ? 64 : type.getElementTypeBitWidth();
    bytes = symbols.constant(type.getNumElements() * ((bits + 7) / 8));
  } else if (auto noted = dyn_cast<FusedLoc>(buffer.getLoc())) {
    if (auto expr = dyn_cast_or_null<ir::ExprAttr>(noted.getMetadata()))
      bytes = expr.getExpr();
  }
  if (!bytes)
    return {};
  Expr unit = symbols.constant(alignment);
  return symbols.ceilDiv(bytes, unit) * unit;
}

/// Can the buffer, or a view of it, be there when the loop that makes it makes the next?
bool outlivesTrip(Value buffer) {
  SmallVector<Value> work = {buffer};
  while (!work.empty())
    for (OpOperand &use : work.pop_back_val().getUses()) {
      Operation *user = use.getOwner();
      if (isa<scf::YieldOp, scf::ConditionOp>(user))
        return true;
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(work, user->getResults());
    }
  return false;
}

/// The loop over the units of a kernel that has several: the one in its entry block that runs from
/// begin to end.
scf::ForOp unitLoop(KernelContext &context) {
  for (auto loop : context.kernel.getBody().front().getOps<scf::ForOp>())
    if (loop.getLowerBound() == context.begin() && loop.getUpperBound() == context.end())
      return loop;
  return {};
}

SmallVector<memref::AllocOp> buffersOf(KernelContext &context) {
  SmallVector<memref::AllocOp> buffers;
  func::FuncOp(context.kernel).walk([&](memref::AllocOp buffer) { buffers.push_back(buffer); });
  return buffers;
}

} // namespace

bool isWorkspace(func::FuncOp program, unsigned result) {
  return program->hasAttr(workspaceAttr) && result + 1 == program.getNumResults();
}

FailureOr<Workspace> findWorkspace(KernelContext &context, Expr units) {
  Expr zero = ir::symbolicContext(context.b.getContext()).constant(0);
  Workspace workspace{zero, zero, units ? units : zero};
  scf::ForOp loop = units ? unitLoop(context) : scf::ForOp();
  for (memref::AllocOp buffer : buffersOf(context)) {
    Expr bytes = bytesOf(buffer);
    bool escapes = buffer->getParentOfType<LoopLikeOpInterface>() && outlivesTrip(buffer);
    if (!bytes || escapes)
      return buffer.emitError("needs a buffer of its own, of type ")
             << buffer.getType()
             << (escapes ? ", that outlives the trip of a loop" : ", whose size isn't known before")
             << "; a tensor program can't allocate: return the tensor as an additional result, "
                "which is then scratch memory that the caller provides";
    Expr &part = loop && loop->isAncestor(buffer) ? workspace.perUnit : workspace.shared;
    part = part + bytes;
  }
  return workspace;
}

LogicalResult placeWorkspace(KernelContext &context, const Workspace &workspace) {
  SmallVector<memref::AllocOp> buffers = buffersOf(context);
  if (buffers.empty())
    return success();
  unsigned last = context.numOutputs() - 1;
  if (!isWorkspace(context.program, last))
    return buffers.front().emitError("needs a buffer of its own, of type ")
           << buffers.front().getType()
           << "; a tensor program can't allocate: relax-lift-workspace gives it memory of its "
              "caller, or return the tensor as an additional result, which is then scratch memory "
              "that the caller provides";
  std::map<std::string, Value> symbols;
  for (const std::string &name : context.symbols)
    symbols[name] = context.symbol(name);
  scf::ForOp loop = workspace.units.isConstant(0) ? scf::ForOp() : unitLoop(context);
  Expr zero = ir::symbolicContext(context.b.getContext()).constant(0);
  Expr shared = zero, inUnit = workspace.shared;
  for (memref::AllocOp buffer : buffers) {
    OpBuilder b(buffer);
    Location loc = buffer.getLoc();
    bool perUnit = loop && loop->isAncestor(buffer);
    Expr &offset = perUnit ? inUnit : shared;
    Value place = emitExpr(b, loc, offset, symbols);
    if (perUnit) {
      Value stride = emitExpr(b, loc, workspace.perUnit, symbols);
      Value own = arith::MulIOp::create(b, loc, loop.getInductionVar(), stride);
      place = arith::AddIOp::create(b, loc, place, own);
    }
    MemRefType type = buffer.getType();
    Value view =
        memref::ViewOp::create(b, loc, MemRefType::get(type.getShape(), type.getElementType()),
                               context.output(last), place, buffer.getDynamicSizes());
    offset = offset + bytesOf(buffer);
    buffer.getResult().replaceAllUsesWith(view);
    buffer.erase();
  }
  return success();
}

} // namespace relax::kernels
