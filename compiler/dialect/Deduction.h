//===- Deduction.h - what the shape rules of the ops share ------------------------------------===//
//
// Rules compare symbolic expressions. The methods `require…` demand a proof: two dimensions are
// equal only if that is proved; an unknown dimension equals nothing, and the message says to bind
// it by relax.match_cast. The methods `check…` and `broadcast` are for ops that are RuntimeChecked:
// they refuse only what is refuted, and record the rest as a constraint. Messages begin with the
// op's name and hold the shapes as written, the numbers of the dimensions that differ and, in a
// note, where an operand was made.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/BlockFormat.h"
#include "compiler/dialect/Dialect.h"
#include "compiler/symbolic/Prove.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Value.h"

namespace relax::ir {

/// The rule of one op, with the place to which its errors go (none: they are silent).
class Rule {
public:
  Rule(mlir::MLIRContext *context, std::optional<mlir::Location> loc, llvm::StringRef name)
      : context(context), loc(loc), name(name) {}
  /// Records what isn't proved (RuntimeChecked::getConstraints); silent.
  Rule(mlir::MLIRContext *context, llvm::StringRef name,
       llvm::SmallVectorImpl<Constraint> &constraints)
      : context(context), name(name), constraints(&constraints) {}

  /// Reports "<op name>: <message>".
  mlir::LogicalResult error(const llvm::Twine &message) const;

  /// The value's type if it is a ranked tensor.
  mlir::FailureOr<mlir::RankedTensorType> tensor(mlir::Value value, llvm::StringRef role) const;

  /// Requires that dimension i of a tensor equals dimension j of another one.
  mlir::LogicalResult requireEqual(llvm::StringRef roleA, mlir::RankedTensorType a, unsigned i,
                                   llvm::StringRef roleB, mlir::RankedTensorType b,
                                   unsigned j) const;

  /// Requires that dimension i equals an expression.
  mlir::LogicalResult requireDim(llvm::StringRef role, mlir::RankedTensorType type, unsigned i,
                                 symbolic::Expr expected, const llvm::Twine &why) const;

  /// The static value of dimension i, or an error.
  mlir::FailureOr<int64_t> staticDim(llvm::StringRef role, mlir::RankedTensorType type,
                                     unsigned i) const;

  /// The dimensions i and j must be equal: refused if that is refuted, recorded if it isn't proved.
  /// Gives the more precise of the two: a constant, else one that is known.
  mlir::FailureOr<symbolic::Expr> checkEqual(llvm::StringRef roleA, mlir::RankedTensorType a,
                                             unsigned i, llvm::StringRef roleB,
                                             mlir::RankedTensorType b, unsigned j) const;

  /// The same of dimension i and an expression; null is an unknown one.
  mlir::FailureOr<symbolic::Expr> checkDim(llvm::StringRef role, mlir::RankedTensorType type,
                                           unsigned i, symbolic::Expr expected,
                                           const llvm::Twine &why) const;

  /// Any relation of two sizes; `text` says what they are: "the element counts of [n] and [4]".
  mlir::LogicalResult check(ConstraintKind kind, symbolic::Expr a, symbolic::Expr b,
                            const llvm::Twine &text,
                            llvm::ArrayRef<llvm::StringRef> roles = {}) const;

  /// The result type of an elementwise op of two operands of one element type: their broadcast
  /// shape.
  mlir::FailureOr<mlir::Type> broadcast(mlir::RankedTensorType lhs,
                                        mlir::RankedTensorType rhs) const;

  /// The shape of two that are broadcast, aligned at the last dimension: n with m is their
  /// symbolic::broadcastExtent under the constraint that they are equal or one is 1; a constant
  /// other than 1 wins.
  mlir::FailureOr<llvm::SmallVector<symbolic::Expr>>
  broadcastShapes(llvm::StringRef roleA, llvm::ArrayRef<symbolic::Expr> a, llvm::StringRef roleB,
                  llvm::ArrayRef<symbolic::Expr> b) const;

  /// The format of that name, or an error that lists all.
  mlir::FailureOr<const BlockFormat *> format(llvm::StringRef formatName) const;

  symbolic::Expr constant(int64_t value) const { return symbolicContext(context).constant(value); }

  mlir::MLIRContext *context;
  std::optional<mlir::Location> loc;
  llvm::StringRef name;

private:
  /// Reports a message with notes on where the operands of these roles were made.
  mlir::LogicalResult errorAt(const llvm::Twine &message,
                              llvm::ArrayRef<llvm::StringRef> roles) const;
  /// Whether such an answer has to be recorded or reported: only then is there need of a text.
  [[nodiscard]] bool needsText(symbolic::Proof proof) const {
    return proof == symbolic::Proof::Refuted ||
           (proof == symbolic::Proof::Unknown && constraints != nullptr);
  }
  /// What check does once it has the answer.
  mlir::LogicalResult settle(symbolic::Proof proof, ConstraintKind kind, symbolic::Expr a,
                             symbolic::Expr b, const llvm::Twine &text,
                             llvm::ArrayRef<llvm::StringRef> roles) const;
  symbolic::Expr broadcastDim(symbolic::Expr a, symbolic::Expr b) const;

  llvm::SmallVectorImpl<Constraint> *constraints = nullptr;
  /// The operands that the rule has looked at, for notes.
  mutable llvm::SmallVector<std::pair<llvm::StringRef, mlir::Value>, 3> operands;
};

/// Equal for every value of the symbols; a null expression equals nothing.
bool provablyEqual(symbolic::Expr a, symbolic::Expr b);

/// The same relation as the provers have it. The expressions aren't null.
symbolic::Constraint relationOf(ConstraintKind kind, symbolic::Expr a, symbolic::Expr b);

/// Whether a relation holds for every choice of symbols, for none, or neither is known. A null
/// expression is Unknown.
symbolic::Proof prove(ConstraintKind kind, symbolic::Expr a, symbolic::Expr b,
                      const symbolic::Facts &facts = {});

/// The smallest choice of symbols (by their sum) within `facts` for which the relation fails, as
/// text: "n = 2 makes them 2 and 4". Empty if none is found among small ones.
std::string counterexample(ConstraintKind kind, symbolic::Expr a, symbolic::Expr b,
                           const symbolic::Facts &facts = {});

} // namespace relax::ir
