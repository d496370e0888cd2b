// Gives each scheduled kernel the C entry point that the runtime calls.
//
// Before:  func.func @k(%in: memref<?x4xf32>, %out: memref<?x4xf32>, %s0: index, %begin: index,
//                       %end: index) attributes {relax.scheduled_kernel,
//            relax.arg_shapes = [#relax.shape<[s0, 4]>, #relax.shape<[s0, 4]>],
//            relax.kernel_symbols = ["s0"]}
//
// After:   func.func private @k.body(...)             the same, to be inlined
//          llvm.func @k(%buffers: !llvm.ptr, %symbols: !llvm.ptr, %begin: i64, %end: i64)
//
// The entry point loads the symbols, evaluates each dimension and builds the memref descriptors:
// offset 0, row-major strides. The expressions were checked for overflow by the caller, which
// evaluated the same sizes to allocate the buffers.

#include "compiler/dialect/Dialect.h"
#include "compiler/kernels/EmitUtils.h"
#include "compiler/targets/cpu/CompileKernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace relax::targets {
namespace {

/// A memref of `type` at `pointer`, whose sizes are `dims`, as a conversion cast from the
/// descriptor that the LLVM lowering of memrefs uses.
Value makeMemref(OpBuilder &b, Location loc, MemRefType type, Value pointer, ArrayRef<Value> dims) {
  auto ptr = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  SmallVector<Type> fields = {ptr, ptr, i64};
  int64_t rank = type.getRank();
  if (rank > 0)
    fields.append(2, LLVM::LLVMArrayType::get(i64, rank));
  auto structType = LLVM::LLVMStructType::getLiteral(b.getContext(), fields);
  Value descriptor = LLVM::PoisonOp::create(b, loc, structType);
  auto insert = [&](Value value, ArrayRef<int64_t> position) {
    descriptor = LLVM::InsertValueOp::create(b, loc, descriptor, value, position);
  };
  insert(pointer, {0});
  insert(pointer, {1});
  insert(LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(0)), {2});
  Value stride = LLVM::ConstantOp::create(b, loc, i64, b.getI64IntegerAttr(1));
  for (int64_t i = rank - 1; i >= 0; --i) {
    insert(dims[i], {3, i});
    insert(stride, {4, i});
    if (i > 0)
      stride = LLVM::MulOp::create(b, loc, stride, dims[i]);
  }
  return UnrealizedConversionCastOp::create(b, loc, TypeRange{type}, ValueRange{descriptor})
      .getResult(0);
}

LogicalResult addEntryPoint(func::FuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  Location loc = kernel.getLoc();
  auto shapes = kernel->getAttrOfType<ArrayAttr>("relax.arg_shapes");
  auto symbols = kernel->getAttrOfType<ArrayAttr>("relax.kernel_symbols");
  if (!shapes || !symbols)
    return kernel.emitError("a scheduled kernel needs relax.arg_shapes and relax.kernel_symbols");
  size_t expected = shapes.size() + symbols.size() + 2;
  if (kernel.getNumArguments() != expected || kernel.getNumResults() != 0)
    return kernel.emitError("a scheduled kernel of ")
           << shapes.size() << " buffers and " << symbols.size() << " symbols has " << expected
           << " arguments and no result; found " << kernel.getNumArguments() << " and "
           << kernel.getNumResults();

  std::string name = kernel.getName().str();
  kernel.setName(name + ".body");
  kernel.setPrivate();

  OpBuilder b(kernel);
  auto ptr = LLVM::LLVMPointerType::get(context);
  Type i64 = b.getI64Type();
  auto type = LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), {ptr, ptr, i64, i64});
  auto entry = LLVM::LLVMFuncOp::create(b, loc, name, type);
  Block *block = entry.addEntryBlock(b);
  b.setInsertionPointToStart(block);

  auto loadAt = [&](Type element, Value base, int64_t index) -> Value {
    Value address =
        LLVM::GEPOp::create(b, loc, ptr, element, base, ArrayRef<LLVM::GEPArg>{int32_t(index)});
    return LLVM::LoadOp::create(b, loc, element, address);
  };
  std::map<std::string, Value> values;
  SmallVector<Value> symbolArguments;
  for (auto [i, symbol] : llvm::enumerate(symbols)) {
    Value loaded = loadAt(i64, block->getArgument(1), i);
    Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), loaded);
    values[cast<StringAttr>(symbol).str()] = index;
    symbolArguments.push_back(index);
  }
  SmallVector<Value> arguments;
  for (auto [i, shape] : llvm::enumerate(shapes)) {
    auto memref = dyn_cast<MemRefType>(kernel.getArgument(i).getType());
    auto dims = cast<ir::ShapeAttr>(shape).getDims();
    if (!memref || static_cast<size_t>(memref.getRank()) != dims.size())
      return kernel.emitError("argument ") << i << " has type " << kernel.getArgument(i).getType()
                                           << ", which doesn't fit its shape " << shape;
    SmallVector<Value> sizes;
    for (symbolic::Expr dim : dims) {
      Value size = kernels::emitExpr(b, loc, dim, values);
      if (!size)
        return kernel.emitError("the shape of argument ")
               << i << ", " << shape << ", uses a symbol that relax.kernel_symbols doesn't list";
      sizes.push_back(arith::IndexCastOp::create(b, loc, i64, size));
    }
    arguments.push_back(makeMemref(b, loc, memref, loadAt(ptr, block->getArgument(0), i), sizes));
  }
  arguments.append(symbolArguments);
  for (unsigned i : {2u, 3u})
    arguments.push_back(
        arith::IndexCastOp::create(b, loc, b.getIndexType(), block->getArgument(i)));
  func::CallOp::create(b, loc, kernel, arguments);
  LLVM::ReturnOp::create(b, loc, ValueRange{});
  return success();
}

} // namespace

LogicalResult addEntryPoints(ModuleOp module) {
  SmallVector<func::FuncOp> kernels;
  for (auto kernel : module.getOps<func::FuncOp>())
    if (kernel->hasAttr("relax.scheduled_kernel"))
      kernels.push_back(kernel);
  for (func::FuncOp kernel : kernels)
    if (failed(addEntryPoint(kernel)))
      return failure();
  return success();
}

} // namespace relax::targets
