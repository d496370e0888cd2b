//===- Requirements.h - checks of a shape rule that know that sizes aren't negative
//------------===//
#pragma once

#include "compiler/dialect/AxisRules.h"

#include "mlir/IR/ValueRange.h"

namespace relax::ir {

/// Facts that hold because `dims` are sizes: the symbols in them that are a size on their own, or
/// times a positive constant, are at least 0.
void addSizeFacts(llvm::ArrayRef<symbolic::Expr> dims, symbolic::Facts &facts);

/// Rule::check for a rule over some operands, whose dimensions are sizes.
class Requirements {
public:
  Requirements(const Rule &rule, mlir::ValueRange operands);

  /// Refused if refuted, recorded by the rule if not proved. `text` names the two: "dimension 1 of
  /// x [n, 4] and 1".
  mlir::LogicalResult check(ConstraintKind kind, symbolic::Expr a, symbolic::Expr b,
                            const llvm::Twine &text, llvm::ArrayRef<llvm::StringRef> roles = {});
  /// A dimension `from` can be stretched to `to`: it is that or 1.
  mlir::LogicalResult stretches(symbolic::Expr from, symbolic::Expr to, const llvm::Twine &text,
                                llvm::ArrayRef<llvm::StringRef> roles = {});

  /// The shorter form of `expr` for sizes; null stays null.
  [[nodiscard]] symbolic::Expr simplify(symbolic::Expr expr) const {
    return expr ? symbolic::simplify(expr, facts) : expr;
  }

  symbolic::Facts facts;

private:
  const Rule &rule;
};

/// Product of `from` / product of `to`. Factors on both sides go; where the rest isn't known to be
/// exact, `*divisor` (not null) must divide `*dividend`. Null where a dimension is unknown.
struct Quotient {
  symbolic::Expr value, dividend, divisor;
};
Quotient exactQuotient(mlir::MLIRContext *context, llvm::ArrayRef<symbolic::Expr> from,
                       llvm::ArrayRef<symbolic::Expr> to);

/// "dimension 1 of x [n, 4]".
std::string dimensionText(llvm::StringRef role, unsigned i, mlir::RankedTensorType type);

/// The expressions of an attribute: `count` of them, all known. `places` says what they are for.
mlir::FailureOr<llvm::ArrayRef<symbolic::Expr>> knownExpressions(const Rule &rule,
                                                                 llvm::StringRef role,
                                                                 ShapeAttr attribute, size_t count,
                                                                 const llvm::Twine &places);

/// Axes in the order in which they are named, each once.
mlir::FailureOr<llvm::SmallVector<unsigned>>
orderedAxes(const Rule &rule, mlir::RankedTensorType type, llvm::ArrayRef<int64_t> axes);

} // namespace relax::ir
