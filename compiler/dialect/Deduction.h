//===- Deduction.h - what the shape rules of the ops share ------------------------------------===//
//
// Rules compare symbolic expressions. Two dimensions are equal only if that is proved; an unknown
// dimension equals nothing, and the message says to bind it by relax.match_cast. Messages begin
// with the op's name and hold the shapes as written, and the numbers of the dimensions that differ.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/BlockFormat.h"
#include "compiler/dialect/Dialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Value.h"

namespace relax::ir {

/// The rule of one op, with the place to which its errors go (none: they are silent).
class Rule {
public:
  Rule(mlir::MLIRContext *context, std::optional<mlir::Location> loc, llvm::StringRef name)
      : context(context), loc(loc), name(name) {}

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

  /// The result type of an elementwise op of two operands.
  mlir::FailureOr<mlir::Type> broadcast(mlir::RankedTensorType lhs,
                                        mlir::RankedTensorType rhs) const;

  /// The format of that name, or an error that lists all.
  mlir::FailureOr<const BlockFormat *> format(llvm::StringRef formatName) const;

  symbolic::Expr constant(int64_t value) const { return symbolicContext(context).constant(value); }

  mlir::MLIRContext *context;
  std::optional<mlir::Location> loc;
  llvm::StringRef name;
};

/// Equal for every value of the symbols; a null expression equals nothing.
bool provablyEqual(symbolic::Expr a, symbolic::Expr b);

} // namespace relax::ir
