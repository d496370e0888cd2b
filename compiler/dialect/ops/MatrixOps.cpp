//===- MatrixOps.cpp - shape rules: products of matrices -------------------------------------===//
#include "compiler/dialect/ops/MatrixOps.h"

#include "compiler/dialect/AxisRules.h"
#include "compiler/dialect/EinsumEquation.h"

using namespace mlir;

namespace relax::ir {

void registerMatrixOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/MatrixOps.cpp.inc"
      >();
}

/// The result's element type of a product of elements of `a` and `b`, i8 and ui8 aside one type.
static FailureOr<Type> productType(const Rule &rule, RankedTensorType a, RankedTensorType b,
                                   std::optional<Type> asked) {
  Type left = a.getElementType(), right = b.getElementType();
  bool bytes = left.isInteger(8) && right.isInteger(8);
  if (!bytes && failed(requireSameElements(rule, "a", a, "b", b)))
    return failure();
  bool sixteen = left.isF16() || left.isBF16();
  if (!bytes && !sixteen && !left.isF32() && !left.isF64() && !left.isInteger(32) &&
      !left.isInteger(64)) {
    std::string found;
    llvm::raw_string_ostream(found) << left;
    return rule.error(
        "there is no product of elements of " + found +
        "; expected f64, f32, f16, bf16, i32, i64, i8 or ui8" +
        (isa<AnyType>(left) ? "; relax.match_cast gives a value its element type" : ""));
  }
  Type natural = bytes ? Type(IntegerType::get(rule.context, 32)) : left;
  if (!asked || *asked == natural)
    return natural;
  bool wider = (sixteen && asked->isF32()) || (left.isF32() && asked->isF64()) ||
               (natural.isSignlessInteger(32) && asked->isSignlessInteger(64));
  if (!wider) {
    std::string found;
    llvm::raw_string_ostream(found) << *asked << " from " << left;
    return rule.error("result_type gives f32 from f16 or bf16, f64 from f32, i64 from i32, i8 or "
                      "ui8; found " +
                      found);
  }
  return *asked;
}

LogicalResult MatmulOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> a = rule.tensor(adaptor.getA(), "a");
  FailureOr<RankedTensorType> b = rule.tensor(adaptor.getB(), "b");
  if (failed(a) || failed(b))
    return failure();
  if (a->getRank() < 1 || b->getRank() < 1)
    return rule.error("expected operands of rank 1 or more, found a " + shapeText(*a) + " and b " +
                      shapeText(*b));
  bool row = a->getRank() == 1, column = b->getRank() == 1;
  if ((row && adaptor.getTransposeA()) || (column && adaptor.getTransposeB()))
    return rule.error("an operand of rank 1 has nothing to transpose: a is " + shapeText(*a) +
                      ", b is " + shapeText(*b));
  FailureOr<Type> element = productType(rule, *a, *b, adaptor.getResultType());
  if (failed(element))
    return failure();
  unsigned innerA = unsigned(a->getRank()) - (adaptor.getTransposeA() ? 2 : 1);
  unsigned innerB = unsigned(b->getRank()) - (column || adaptor.getTransposeB() ? 1 : 2);
  if (failed(rule.checkEqual("a", *a, innerA, "b", *b, innerB)))
    return failure();
  // The dimensions in front of the matrices.
  FailureOr<SmallVector<symbolic::Expr>> dims = rule.broadcastShapes(
      "a", shapeOf(*a).drop_back(row ? 1 : 2), "b", shapeOf(*b).drop_back(column ? 1 : 2));
  if (failed(dims))
    return failure();
  if (!row)
    dims->push_back(shapeOf(*a)[a->getRank() - (adaptor.getTransposeA() ? 1 : 2)]);
  if (!column)
    dims->push_back(shapeOf(*b)[b->getRank() - (adaptor.getTransposeB() ? 2 : 1)]);
  types.push_back(tensorType(rule.context, *dims, *element));
  return success();
}

namespace {
/// Where a letter of an equation was first seen: dimension `dimension` of operand `operand`.
struct LetterPlace {
  unsigned operand = 0, dimension = 0;
};
} // namespace

/// What messages call operand i.
static StringRef operandRole(unsigned i) {
  static constexpr StringRef names[] = {"operand 0", "operand 1", "operand 2", "operand 3",
                                        "operand 4", "operand 5", "operand 6", "operand 7"};
  return i < std::size(names) ? names[i] : "a later operand";
}

/// The dimension of each letter of the equation; those of one letter must be equal, or broadcast
/// where they are from an ellipsis.
static FailureOr<std::map<char, symbolic::Expr>>
letterDims(const Rule &rule, const EinsumEquation &equation, ArrayRef<RankedTensorType> operands) {
  std::map<char, symbolic::Expr> dims;
  std::map<char, LetterPlace> places;
  for (auto [i, letters, type] : llvm::enumerate(equation.inputs, operands))
    for (auto [d, letter] : llvm::enumerate(letters)) {
      symbolic::Expr dim = shapeOf(type)[d];
      auto [place, fresh] = places.try_emplace(letter, LetterPlace{unsigned(i), unsigned(d)});
      if (fresh) {
        dims[letter] = dim;
        continue;
      }
      if (EinsumEquation::isBroadcast(letter)) {
        FailureOr<SmallVector<symbolic::Expr>> both = rule.broadcastShapes(
            operandRole(place->second.operand), dims[letter], operandRole(unsigned(i)), dim);
        if (failed(both))
          return failure();
        dims[letter] = both->front();
        continue;
      }
      const LetterPlace &first = place->second;
      FailureOr<symbolic::Expr> both =
          rule.checkEqual(operandRole(first.operand), operands[first.operand], first.dimension,
                          operandRole(unsigned(i)), type, unsigned(d));
      if (failed(both))
        return failure();
      if (!dims[letter] || (*both && (*both).isConstant()))
        dims[letter] = *both;
    }
  return dims;
}

LogicalResult EinsumOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  SmallVector<RankedTensorType> operands;
  for (auto [i, operand] : llvm::enumerate(adaptor.getInputs())) {
    FailureOr<RankedTensorType> type = rule.tensor(operand, operandRole(unsigned(i)));
    if (failed(type))
      return failure();
    operands.push_back(*type);
  }
  if (operands.empty())
    return rule.error("expected at least one operand");
  FailureOr<EinsumEquation> equation = parseEquation(rule, adaptor.getEquation(), operands);
  if (failed(equation))
    return failure();
  FailureOr<Type> element = Type();
  for (RankedTensorType operand : operands) {
    element = productType(rule, operands.front(), operand, adaptor.getResultType());
    if (failed(element))
      return failure();
  }
  FailureOr<std::map<char, symbolic::Expr>> letters = letterDims(rule, *equation, operands);
  if (failed(letters))
    return failure();
  SmallVector<symbolic::Expr> dims;
  for (char letter : equation->output)
    dims.push_back(letters->at(letter));
  types.push_back(tensorType(rule.context, dims, *element));
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/MatrixOps.cpp.inc"
#pragma GCC diagnostic pop
