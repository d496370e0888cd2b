//===- Guards.h - run-time checks, for people -------------------------------------------------===//
#pragma once

#include "compiler/dialect/Relax.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace relax::transforms {

/// On a function: the checks that were proved, each {what, source, by}.
inline constexpr llvm::StringLiteral provedGuardsAttr = "relax.proved_guards";
/// On a match_cast: it can't fail, so it checks nothing.
inline constexpr llvm::StringLiteral provedAttr = "relax.proved";

/// What ops of a function take for granted of sizes, and what a guard would check: what their rules
/// could neither prove nor refute, arguments that don't provably fit a callee, extents of results
/// that may be negative. An op that assumes something isn't dropped before its guards are there.
class Assumptions {
public:
  Assumptions(mlir::func::FuncOp function, mlir::SymbolTable &table);

  /// Adds what `op` assumes. A constraint without `a` or `b` is about a dimension that has no name
  /// yet.
  void collect(mlir::Operation *op, llvm::SmallVectorImpl<ir::Constraint> &constraints);

private:
  void collectOperands(mlir::Operation *op, llvm::SmallVectorImpl<ir::Constraint> &constraints);
  void collectSizes(mlir::Operation *op, llvm::SmallVectorImpl<ir::Constraint> &constraints);
  bool mayBeNegative(symbolic::Expr size);

  mlir::SymbolTable &table;
  const symbolic::Facts facts;
  const symbolic::Expr zero;
  llvm::DenseMap<const void *, bool> maybeNegative;
};

/// "n == m (dimension 0 of lhs and of rhs)".
std::string describeConstraint(ir::ConstraintAttr constraint, llvm::StringRef text);
/// "match_cast of [?, 4] to [n, 4]".
std::string describeCast(ir::MatchCastOp cast);

/// "FILE:LINE:COLUMN" where the location lies in a file, the name of what came from elsewhere, ""
/// where nothing is known. Of several places, the first.
std::string placeOf(mlir::Location location);

} // namespace relax::transforms
