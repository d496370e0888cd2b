// Products of matrices that libraries do: relax.matmul alone, with what follows it, and of 8-bit
// integers.

#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/dialect/ops/MatrixOps.h"
#include "compiler/libraries/Entries.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::libraries {
namespace {

RankedTensorType tensorOf(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

bool areKnown(RankedTensorType type) {
  return type && !llvm::is_contained(ir::shapeOf(type), Expr());
}

/// Whether adapters take the product's sizes: a [..., m, k], b [k, n] or with the same dimensions
/// in front, k equal in both (and transposed, in each way).
bool hasLegalSizes(ir::MatmulOp op) {
  RankedTensorType a = tensorOf(op.getA()), b = tensorOf(op.getB()), result = tensorOf(op);
  if (!areKnown(a) || !areKnown(b) || !areKnown(result) || a.getRank() < 2 || b.getRank() < 2 ||
      result.getRank() != a.getRank() || (b.getRank() != 2 && b.getRank() != a.getRank()))
    return false;
  ArrayRef<Expr> dimsA = ir::shapeOf(a), dimsB = ir::shapeOf(b);
  Expr kA = op.getTransposeA() ? dimsA[dimsA.size() - 2] : dimsA.back();
  Expr kB = op.getTransposeB() ? dimsB.back() : dimsB[dimsB.size() - 2];
  if (kA != kB)
    return false;
  // Dimensions in front are those of a; where b has some, the same.
  ArrayRef<Expr> front = dimsA.drop_back(2);
  return front == ir::shapeOf(result).drop_back(2) &&
         (b.getRank() == 2 || front == dimsB.drop_back(2));
}

/// What the calls are measured by: rows and columns, whichever are fewer; and multiplications.
SmallVector<Measure> measuresOf(ir::MatmulOp op, const Entry &entry) {
  symbolic::Context &context = ir::symbolicContext(op.getContext());
  ArrayRef<Expr> dimsA = ir::shapeOf(tensorOf(op.getA()));
  ArrayRef<Expr> dims = ir::shapeOf(tensorOf(op));
  Expr k = op.getTransposeA() ? dimsA[dimsA.size() - 2] : dimsA.back();
  Expr rows = dims[dims.size() - 2];
  bool folds = tensorOf(op.getB()).getRank() == 2 && !op.getTransposeA();
  Expr work = k;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    work = context.mul(work, dim);
    if (folds && i + 2 < dims.size())
      rows = context.mul(rows, dim);
  }
  return {{context.min(rows, dims.back()), entry.rows, {}}, {work, entry.work, {}}};
}

Claim claimOf(Operation *root, ir::MatmulOp op, const Entry &entry) {
  Claim claim;
  claim.root = root;
  claim.inputs = {op.getA(), op.getB()};
  claim.function = entry.function;
  claim.measures = measuresOf(op, entry);
  Builder b(op.getContext());
  auto add = [&](StringRef name, bool set) {
    if (set)
      claim.options.push_back(b.getNamedAttr(name, b.getUnitAttr()));
  };
  add("transpose_a", op.getTransposeA());
  add("transpose_b", op.getTransposeB());
  return claim;
}

bool hasTypes(ir::MatmulOp op, llvm::function_ref<bool(Type)> fits) {
  Type a = tensorOf(op.getA()).getElementType();
  return fits(a) && a == tensorOf(op.getB()).getElementType() && a == tensorOf(op).getElementType();
}

/// Products with weights that are decoded belong to claim-contractions, which keeps their bytes.
bool readsDecoded(ir::MatmulOp op) {
  return op.getB().getDefiningOp<ir::DequantizeOp>() || op.getA().getDefiningOp<ir::DequantizeOp>();
}

/// What follows a product, read from its end backwards.
struct Epilogue {
  ir::MatmulOp matmul;
  Value bias, residual;
  int64_t relu = 0; ///< 1: at the end, 2: before the residual.
};

bool isResidual(Value value, RankedTensorType result) { return value.getType() == result; }

bool isBias(Value value, RankedTensorType result) {
  RankedTensorType type = tensorOf(value);
  return areKnown(type) && type.getRank() == 1 && result.getRank() >= 2 &&
         type.getElementType() == result.getElementType() &&
         ir::shapeOf(type)[0] == ir::shapeOf(result).back();
}

bool readEpilogue(Value value, RankedTensorType result, Epilogue &out);

/// `sum` of a product's chain and a bias or residual.
bool readSum(ir::AddOp sum, RankedTensorType result, Epilogue &out) {
  for (auto [chain, other] :
       {std::pair(sum.getLhs(), sum.getRhs()), std::pair(sum.getRhs(), sum.getLhs())}) {
    Epilogue next = out;
    if (chain.getType() != result || !chain.hasOneUse())
      continue;
    // oneDNN adds the bias first of all.
    if (isBias(other, result) && !next.bias)
      next.bias = other;
    else if (isResidual(other, result) && !next.residual && !next.bias)
      next.residual = other;
    else
      continue;
    if (!readEpilogue(chain, result, next))
      continue;
    out = next;
    return true;
  }
  return false;
}

bool readEpilogue(Value value, RankedTensorType result, Epilogue &out) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto matmul = dyn_cast<ir::MatmulOp>(op)) {
    out.matmul = matmul;
    return true;
  }
  if (auto sum = dyn_cast<ir::AddOp>(op))
    return readSum(sum, result, out);
  if (auto relu = dyn_cast<ir::ReluOp>(op)) {
    // Behind a bias that is added later there is no place for it.
    if (out.relu != 0 || out.bias || !relu->getOperand(0).hasOneUse())
      return false;
    out.relu = out.residual ? 2 : 1;
    return readEpilogue(relu->getOperand(0), result, out);
  }
  return false;
}

} // namespace

std::optional<Claim> matchMatmul(Operation *root, const Entry &entry) {
  auto op = dyn_cast<ir::MatmulOp>(root);
  if (!op || !hasLegalSizes(op) || readsDecoded(op) ||
      !hasTypes(op, [](Type type) { return type.isF32() || type.isF64(); }))
    return std::nullopt;
  return claimOf(root, op, entry);
}

std::optional<Claim> matchMatmulWithEpilogue(Operation *root, const Entry &entry) {
  if (!isa<ir::MatmulOp, ir::AddOp, ir::ReluOp>(root))
    return std::nullopt;
  RankedTensorType result = tensorOf(root->getResult(0));
  Epilogue epilogue;
  if (!areKnown(result) || !readEpilogue(root->getResult(0), result, epilogue))
    return std::nullopt;
  ir::MatmulOp op = epilogue.matmul;
  if (!hasLegalSizes(op) || readsDecoded(op) || tensorOf(op) != result ||
      !hasTypes(op, [](Type type) { return type.isF32(); }))
    return std::nullopt;
  Claim claim = claimOf(root, op, entry);
  Builder b(root->getContext());
  if (epilogue.bias) {
    claim.inputs.push_back(epilogue.bias);
    claim.options.push_back(b.getNamedAttr("bias", b.getUnitAttr()));
  }
  if (epilogue.residual) {
    claim.inputs.push_back(epilogue.residual);
    claim.options.push_back(b.getNamedAttr("residual", b.getUnitAttr()));
  }
  if (epilogue.relu != 0)
    claim.options.push_back(b.getNamedAttr("relu", b.getI64IntegerAttr(epilogue.relu)));
  return claim;
}

/// Exact only with VNNI, which the target must have; the adapter makes sure of it at load.
std::optional<Claim> matchIntegerMatmul(Operation *root, const Entry &entry) {
  auto op = dyn_cast<ir::MatmulOp>(root);
  if (!op || !hasLegalSizes(op))
    return std::nullopt;
  auto target = root->getParentOfType<ModuleOp>()->getAttrOfType<ir::TargetAttr>(
      ir::RelaxDialect::targetAttr);
  if (!target || llvm::none_of(target.getFeatures(), [](StringAttr feature) {
        return feature == "avx512vnni" || feature == "avxvnni";
      }))
    return std::nullopt;
  Type a = tensorOf(op.getA()).getElementType(), b = tensorOf(op.getB()).getElementType();
  if (!a.isInteger(8) || !b.isInteger(8) || b.isUnsignedInteger() ||
      !tensorOf(op).getElementType().isInteger(32))
    return std::nullopt;
  return claimOf(root, op, entry);
}

} // namespace relax::libraries
