//===- VerifyPrograms.cpp - the rules on tensor programs --------------------------------------===//
#include "compiler/transforms/VerifyPrograms.h"

#include "compiler/dialect/Deduction.h"
#include "compiler/dialect/Relax.h"
#include "compiler/symbolic/Prove.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace relax::transforms {
namespace {

using Names = std::set<std::string>;

/// The first name in `used` that isn't in `known`; null if there is none.
const std::string *firstUnknown(const Names &used, const Names &known) {
  for (const std::string &name : used)
    if (!known.count(name))
      return &name;
  return nullptr;
}

/// Symbols of everything that is written at `op`: result types and attributes.
Names symbolsOf(Operation *op) {
  Names used;
  for (Type type : op->getResultTypes())
    ir::collectSymbols(type, used);
  for (NamedAttribute attribute : op->getAttrs())
    ir::collectSymbols(attribute.getValue(), used);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        ir::collectSymbols(argument.getType(), used);
  return used;
}

/// Dimensions of a value; none where it isn't a ranked tensor.
ArrayRef<symbolic::Expr> dimsOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? ir::shapeOf(type) : ArrayRef<symbolic::Expr>();
}

/// Known, and not provably equal.
bool disagree(symbolic::Expr a, symbolic::Expr b) {
  return a && b && a != b && !ir::provablyEqual(a, b);
}

/// Every loop of a linalg op has one extent, in whatever operand's dimensions it runs; and where an
/// operand is indexed by more than a loop alone (a stride, an offset), the index stays inside.
class ExtentVerifier {
public:
  explicit ExtentVerifier(linalg::LinalgOp op)
      : op(op), extents(op.getNumLoops()), from(op.getNumLoops()) {}

  LogicalResult verify() {
    for (OpOperand &operand : op->getOpOperands())
      if (failed(takeExtents(operand)))
        return failure();
    for (OpOperand &operand : op->getOpOperands())
      if (failed(verifyIndices(operand)))
        return failure();
    return success();
  }

private:
  LogicalResult takeExtents(OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [dim, index] : llvm::zip(dimsOf(operand.get()), map.getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(index);
      if (!loop || !dim)
        continue;
      symbolic::Expr &extent = extents[loop.getPosition()];
      if (disagree(extent, dim))
        return otherExtent(loop.getPosition(), dim, operand.get().getType());
      if (!extent) {
        extent = dim;
        from[loop.getPosition()] = operand.get();
      }
    }
    return success();
  }

  LogicalResult otherExtent(unsigned loop, symbolic::Expr dim, Type type) {
    InFlightDiagnostic error = op.emitOpError("[R20] loop ")
                               << loop << " runs over " << extents[loop].str() << " in "
                               << from[loop].getType() << " and over " << dim.str() << " in "
                               << type;
    std::string example = ir::counterexample(ir::ConstraintKind::Equal, extents[loop], dim);
    if (!example.empty())
      error << "; " << example;
    return error;
  }

  LogicalResult verifyIndices(OpOperand &operand) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [position, pair] :
         llvm::enumerate(llvm::zip(dimsOf(operand.get()), map.getResults()))) {
      auto [dim, index] = pair;
      if (!dim || isa<AffineDimExpr>(index))
        continue;
      symbolic::Facts facts;
      symbolic::Expr value = valueOf(index, facts);
      if (!value)
        continue;
      symbolic::Expr zero = dim.getContext().constant(0);
      const bool isInside =
          symbolic::proveLessEqual(zero, value, facts) == symbolic::Proof::Proved &&
          symbolic::proveLess(value, dim, facts) == symbolic::Proof::Proved;
      if (!isInside && !neverRuns())
        return outside(index, position, operand.get().getType(), dim);
    }
    return success();
  }

  /// Whether one loop has no trip where all the others have some: then nothing is read.
  bool neverRuns() const {
    for (size_t loop = 0; loop != extents.size(); ++loop) {
      if (!extents[loop])
        continue;
      symbolic::Context &context = extents[loop].getContext();
      symbolic::Facts othersRun;
      for (size_t other = 0; other != extents.size(); ++other)
        if (other != loop && extents[other])
          othersRun.addLessEqual(context.constant(1), extents[other]);
      if (symbolic::proveLessEqual(extents[loop], context.constant(0), othersRun) ==
          symbolic::Proof::Proved)
        return true;
    }
    return false;
  }

  LogicalResult outside(AffineExpr index, size_t position, Type type, symbolic::Expr dim) {
    std::string text;
    llvm::raw_string_ostream(text) << index;
    return op.emitOpError("[R20] the index ")
           << text << " of dimension " << position << " of " << type
           << " isn't provably within [0, " << dim.str() << ")";
  }

  /// The index with a symbol for each loop, whose range `facts` tell; null where a loop's extent
  /// isn't known.
  symbolic::Expr valueOf(AffineExpr index, symbolic::Facts &facts) {
    symbolic::Context &context = ir::symbolicContext(op.getContext());
    if (auto constant = dyn_cast<AffineConstantExpr>(index)) {
      // It is read only if all loops run.
      for (symbolic::Expr extent : extents)
        if (extent && !extent.isConstant())
          facts.addLessEqual(context.constant(1), extent);
      return context.constant(constant.getValue());
    }
    if (auto loop = dyn_cast<AffineDimExpr>(index)) {
      symbolic::Expr extent = extents[loop.getPosition()];
      std::string name = "loop$" + std::to_string(loop.getPosition());
      symbolic::Expr symbol = context.symbol(name);
      facts.set(name, {0, std::nullopt, 1});
      if (extent)
        facts.add(symbolic::Constraint::less(symbol, extent));
      return extent ? symbol : symbolic::Expr();
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(index);
    if (!binary)
      return {};
    symbolic::Expr a = valueOf(binary.getLHS(), facts), b = valueOf(binary.getRHS(), facts);
    if (!a || !b)
      return {};
    switch (binary.getKind()) {
    case AffineExprKind::Add:
      return context.add(a, b);
    case AffineExprKind::Mul:
      return context.mul(a, b);
    case AffineExprKind::FloorDiv:
      return context.floorDiv(a, b);
    case AffineExprKind::CeilDiv:
      return context.ceilDiv(a, b);
    case AffineExprKind::Mod:
      return context.mod(a, b);
    default:
      return {};
    }
  }

  linalg::LinalgOp op;
  SmallVector<symbolic::Expr> extents;
  SmallVector<Value> from;
};

LogicalResult verifyEmpty(tensor::EmptyOp op) {
  unsigned dynamic = 0;
  for (symbolic::Expr dim : ir::shapeOf(op.getType())) {
    if (dim && dim.isConstant())
      continue;
    Value size = op.getDynamicSizes()[dynamic++];
    auto value = size.getDefiningOp<ir::SymbolValueOp>();
    if (value && disagree(value.getExpr().getExpr(), dim))
      return op.emitOpError("[R20] is made of ")
             << value.getExpr().getExpr().str() << " elements where its type says " << dim.str();
  }
  return success();
}

LogicalResult verifyCast(tensor::CastOp op) {
  for (auto [index, pair] :
       llvm::enumerate(llvm::zip(dimsOf(op.getSource()), dimsOf(op.getResult()))))
    if (auto [from, to] = pair; disagree(from, to))
      return op.emitOpError("[R20] dimension ")
             << index << " is " << from.str() << " before and " << to.str() << " after";
  return success();
}

LogicalResult verifyAnnotations(Operation *op) {
  if (auto structured = dyn_cast<linalg::LinalgOp>(op))
    return ExtentVerifier(structured).verify();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return verifyEmpty(empty);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return verifyCast(cast);
  return success();
}

} // namespace

LogicalResult verifyProgram(func::FuncOp program) {
  Names known;
  auto names = program->getAttrOfType<ArrayAttr>(ir::RelaxDialect::kernelSymbolsAttr);
  if (!names)
    return program.emitError("[R3] a tensor program lists its symbols in relax.kernel_symbols");
  for (Attribute name : names)
    if (!known.insert(cast<StringAttr>(name).str()).second)
      return program.emitError("[R3] relax.kernel_symbols lists '")
             << cast<StringAttr>(name).getValue() << "' twice";
  if (!program.isDeclaration() && !program.getBody().hasOneBlock())
    return program.emitError("[R12] a tensor program is one block");
  auto check = [&](Operation *op, const Names &used) -> LogicalResult {
    if (const std::string *name = firstUnknown(used, known))
      return op->emitError("[R3] the symbol '") << *name << "' isn't in relax.kernel_symbols";
    return success();
  };
  Names signature = symbolsOf(program);
  ir::collectSymbols(program.getFunctionType(), signature);
  if (failed(check(program, signature)))
    return failure();
  if (program.isDeclaration())
    return success();
  WalkResult walked =
      program.walk([](Operation *op) -> WalkResult { return verifyAnnotations(op); });
  if (walked.wasInterrupted())
    return failure();
  for (Operation &op : program.getBody().front()) {
    if (failed(check(&op, symbolsOf(&op))))
      return failure();
    StringRef dialect = op.getDialect() ? op.getDialect()->getNamespace() : StringRef();
    if (dialect != "linalg" && dialect != "arith" && dialect != "math" && dialect != "tensor" &&
        dialect != "scf" && !isa<func::ReturnOp, ir::SymbolValueOp>(op) &&
        !ir::isStructuredKernelOp(&op))
      return op.emitError("[R12] a tensor program cannot hold this op");
  }
  return success();
}

} // namespace relax::transforms
