// schedule-kernels: tensor programs become scheduled kernels.
//
// Before:  func.func private @k(%x: tensor<?x4xf32, #relax.shape<[s0, 4]>>)
//              -> tensor<?x4xf32, #relax.shape<[s0, 4]>>
//              attributes {relax.kernel, relax.kernel_symbols = ["s0"]}
//
// After:   func.func private @k(%in: memref<?x4xf32>, %out: memref<?x4xf32>, %s0: index,
//                               %begin: index, %end: index)
//              attributes {relax.scheduled_kernel, relax.kernel_symbols = ["s0"],
//                          relax.arg_shapes = [#relax.shape<[s0, 4]>, #relax.shape<[s0, 4]>],
//                          relax.parallel_extent = #relax.expr<s0>, relax.cost = #relax.expr<…>,
//                          relax.strategy = "elementwise"}
//
// The strategy is the first of Strategies.cpp that matches. Several targets: Passes.h. Tested by
// tests/ir/schedule/*.mlir and tests/unit/kernels.

#include "compiler/dialect/Relax.h"
#include "compiler/kernels/KernelStrategy.h"
#include "compiler/kernels/Passes.h"
#include "compiler/kernels/PointwiseEmitter.h"
#include "compiler/kernels/ScheduleDialects.h"
#include "compiler/kernels/Siblings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

/// Shapes of the program's arguments and results, as the kernel's callers evaluate them.
FailureOr<SmallVector<Attribute>> bufferShapes(func::FuncOp program) {
  SmallVector<Attribute> shapes;
  FunctionType type = program.getFunctionType();
  for (Type t : llvm::concat<const Type>(type.getInputs(), type.getResults())) {
    auto tensor = dyn_cast<RankedTensorType>(t);
    if (!tensor)
      return program.emitError("a tensor program takes and returns ranked tensors; found ") << t;
    ArrayRef<Expr> dims = ir::shapeOf(tensor);
    if (llvm::is_contained(dims, Expr()))
      return program.emitError("a tensor program needs every dimension as an expression over its "
                               "symbols; found ")
             << t;
    shapes.push_back(ir::ShapeAttr::get(program.getContext(), dims));
  }
  return shapes;
}

/// The kernel of `program` with an empty body, beside it and of the same name.
func::FuncOp createKernel(func::FuncOp program, ArrayRef<Attribute> shapes, ArrayAttr symbols) {
  OpBuilder b(program);
  Location loc = program.getLoc();
  SmallVector<Type> arguments;
  FunctionType type = program.getFunctionType();
  for (Type t : llvm::concat<const Type>(type.getInputs(), type.getResults())) {
    auto tensor = cast<RankedTensorType>(t);
    arguments.push_back(MemRefType::get(tensor.getShape(), tensor.getElementType()));
  }
  arguments.append(symbols.size() + 2, b.getIndexType());
  std::string name = program.getName().str();
  program.setName(name + ".program");
  auto kernel = func::FuncOp::create(b, loc, name, b.getFunctionType(arguments, {}));
  kernel.setVisibility(program.getVisibility());
  for (NamedAttribute attribute : program->getDiscardableAttrs())
    if (attribute.getName() != "relax.kernel")
      kernel->setAttr(attribute.getName(), attribute.getValue());
  kernel->setAttr("relax.scheduled_kernel", b.getUnitAttr());
  kernel->setAttr("relax.arg_shapes", b.getArrayAttr(shapes));
  kernel->setAttr("relax.kernel_symbols", symbols);
  b.setInsertionPointToEnd(kernel.addEntryBlock());
  func::ReturnOp::create(b, loc);
  return kernel;
}

LogicalResult diagnoseUnmatched(func::FuncOp program) {
  for (Value result : program.getBody().front().getTerminator()->getOperands()) {
    Operation *reason = nullptr;
    if (PointwiseEmitter::check(result, {}, &reason))
      continue;
    InFlightDiagnostic diagnostic = program.emitError("no schedule strategy takes this program");
    if (reason)
      diagnostic.attachNote(reason->getLoc())
          << "'" << reason->getName() << "' is not understood here";
    return diagnostic;
  }
  return program.emitError("no schedule strategy takes this program");
}

/// What a kernel is built from.
std::vector<std::string> symbolNames(func::FuncOp program) {
  std::vector<std::string> names;
  if (auto symbols = program->getAttrOfType<ArrayAttr>("relax.kernel_symbols"))
    for (Attribute symbol : symbols)
      names.push_back(cast<StringAttr>(symbol).str());
  return names;
}

/// What a program computes of its symbols beside sizes of tensors: starts, offsets, shifts. A
/// kernel does that without looking for overflow, so its caller does it once more, with.
ArrayAttr evaluatedExpressions(func::FuncOp program) {
  llvm::SetVector<Attribute> expressions;
  program.walk([&](ir::SymbolValueOp value) {
    symbolic::Expr expr = value.getExpr().getExpr();
    if (!expr.isConstant() && !expr.isSymbol())
      expressions.insert(value.getExprAttr());
  });
  for (Type type : llvm::concat<const Type>(program.getArgumentTypes(), program.getResultTypes()))
    for (symbolic::Expr dim : ir::shapeOf(cast<RankedTensorType>(type)))
      if (dim)
        expressions.remove(ir::ExprAttr::get(program.getContext(), dim));
  return ArrayAttr::get(program.getContext(), expressions.getArrayRef());
}

LogicalResult schedule(func::FuncOp program, ir::TargetAttr target) {
  const KernelStrategy *chosen = findStrategy(program);
  FailureOr<SmallVector<Attribute>> shapes = bufferShapes(program);
  if (failed(shapes))
    return failure();
  if (!chosen)
    return diagnoseUnmatched(program);
  OpBuilder b(program);
  auto symbols = program->getAttrOfType<ArrayAttr>("relax.kernel_symbols");
  if (!symbols)
    symbols = b.getArrayAttr({});
  std::string name = program.getName().str();
  func::FuncOp kernel = createKernel(program, *shapes, symbols);
  if (ArrayAttr evaluated = evaluatedExpressions(program); !evaluated.empty())
    kernel->setAttr("relax.evaluated", evaluated);
  KernelContext context(program, kernel, target, symbolNames(program));
  FailureOr<Schedule> schedule = chosen->build(context);
  if (failed(schedule)) {
    // Leave the module as it was; the strategy has said why.
    kernel.erase();
    program.setName(name);
    return failure();
  }
  MLIRContext *mlirContext = program.getContext();
  kernel->setAttr("relax.parallel_extent",
                  ir::ExprAttr::get(mlirContext, schedule->parallelExtent));
  kernel->setAttr("relax.cost", ir::ExprAttr::get(mlirContext, schedule->cost));
  kernel->setAttr("relax.strategy", b.getStringAttr(chosen->name()));
  program.erase();
  return success();
}

struct ScheduleKernelsPass : PassWrapper<ScheduleKernelsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScheduleKernelsPass)
  StringRef getArgument() const override { return "relax-schedule-kernels"; }
  StringRef getDescription() const override {
    return "Turn tensor programs into loops and vectors on memrefs";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registerScheduleDialects(registry);
  }
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto target = module->getAttrOfType<ir::TargetAttr>("relax.target");
    if (!target)
      target = ir::TargetAttr::get(&getContext(), "x86-64-v2", ArrayRef<StringAttr>{}, 128u);
    SmallVector<func::FuncOp> programs;
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr("relax.kernel") && !function.isExternal())
        programs.push_back(function);
    SmallVector<ModuleOp> levels = {module};
    if (auto more = module->getAttrOfType<ArrayAttr>(moreTargetsAttr))
      for (auto further : more.getAsRange<ir::TargetAttr>())
        levels.push_back(copyFor(further, module, programs));
    bool ok = true;
    for (func::FuncOp program : programs)
      ok &= succeeded(schedule(program, target));
    for (ModuleOp level : ArrayRef(levels).drop_front())
      for (auto program : llvm::to_vector(level.getOps<func::FuncOp>()))
        ok &= succeeded(
            schedule(program, level->getAttrOfType<ir::TargetAttr>(ir::RelaxDialect::targetAttr)));
    if (!ok)
      return signalPassFailure();
    if (levels.size() > 1)
      compareExtents(levels);
  }

  /// The programs in a module of their own, at the end of `module`.
  static ModuleOp copyFor(ir::TargetAttr target, ModuleOp module, ArrayRef<func::FuncOp> programs) {
    auto level = ModuleOp::create(module.getLoc());
    level->setAttr(ir::RelaxDialect::targetAttr, target);
    module.push_back(level);
    for (func::FuncOp program : programs)
      level.push_back(program.clone());
    return level;
  }

  static void compareExtents(ArrayRef<ModuleOp> levels) {
    ModuleOp first = levels.front();
    SmallVector<SymbolTable> tables;
    for (ModuleOp level : levels)
      tables.emplace_back(level);
    for (auto kernel : first.getOps<func::FuncOp>()) {
      if (!kernel->hasAttr("relax.scheduled_kernel"))
        continue;
      SmallVector<Attribute> extents;
      for (SymbolTable &table : tables)
        extents.push_back(table.lookup(kernel.getName())->getAttr("relax.parallel_extent"));
      if (!llvm::all_equal(extents))
        kernel->setAttr(levelExtentsAttr, ArrayAttr::get(kernel.getContext(), extents));
    }
  }
};

} // namespace

void registerScheduleDialects(DialectRegistry &registry) {
  registry
      .insert<arith::ArithDialect, bufferization::BufferizationDialect, func::FuncDialect,
              linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect, memref::MemRefDialect,
              scf::SCFDialect, tensor::TensorDialect, vector::VectorDialect, ir::RelaxDialect>();
  // How ops on tensors become ops on memory, for the strategy loops.
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerSubsetOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
}

const KernelStrategy *findStrategy(func::FuncOp program) {
  for (const KernelStrategy *strategy : kernelStrategies())
    if (strategy->matches(program))
      return strategy;
  return nullptr;
}

FailureOr<std::pair<func::FuncOp, Schedule>> schedulePart(func::FuncOp program, func::FuncOp kernel,
                                                          ir::TargetAttr target) {
  auto module = kernel->getParentOfType<ModuleOp>();
  module.getBody()->getOperations().insert(Block::iterator(kernel), program);
  const KernelStrategy *chosen = findStrategy(program);
  FailureOr<SmallVector<Attribute>> shapes = bufferShapes(program);
  if (failed(shapes) || !chosen) {
    program.erase();
    return failure();
  }
  std::string base = kernel.getName().str() + ".part", name = base;
  for (int64_t i = 1; module.lookupSymbol(name); ++i)
    name = base + std::to_string(i);
  program.setName(name);
  func::FuncOp part =
      createKernel(program, *shapes, program->getAttrOfType<ArrayAttr>("relax.kernel_symbols"));
  for (StringRef attribute : {"relax.scheduled_kernel", "relax.kind", "relax.arg_shapes",
                              "relax.flops", "relax.bytes", "relax.read_once"})
    part->removeAttr(attribute);
  part->setAttr("relax.kernel_part", UnitAttr::get(program.getContext()));
  part->setAttr("relax.strategy", StringAttr::get(program.getContext(), chosen->name()));
  KernelContext context(program, part, target, symbolNames(program));
  FailureOr<Schedule> schedule = chosen->build(context);
  program.erase();
  if (failed(schedule)) {
    part.erase();
    return failure();
  }
  return std::pair(part, *schedule);
}

std::unique_ptr<Pass> createScheduleKernelsPass() {
  return std::make_unique<ScheduleKernelsPass>();
}

void registerKernelPasses() {
  registerPass(createScheduleKernelsPass);
  registerPass(createSplitContractionsPass);
  registerPass(createLiftWorkspacePass);
  registerPass([] { return createExpandMathPass(); });
}

} // namespace relax::kernels
