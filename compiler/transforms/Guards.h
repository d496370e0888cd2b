//===- Guards.h - run-time checks, for people -------------------------------------------------===//
#pragma once

#include "compiler/dialect/Relax.h"

#include "mlir/IR/Location.h"

#include <string>

namespace relax::transforms {

/// On a function: the checks that were proved, each {what, source, by}.
inline constexpr llvm::StringLiteral provedGuardsAttr = "relax.proved_guards";
/// On a match_cast: it can't fail, so it checks nothing.
inline constexpr llvm::StringLiteral provedAttr = "relax.proved";

/// "n == m (dimension 0 of lhs and of rhs)".
std::string describeConstraint(ir::ConstraintAttr constraint, llvm::StringRef text);
/// "match_cast of [?, 4] to [n, 4]".
std::string describeCast(ir::MatchCastOp cast);

/// "FILE:LINE:COLUMN" where the location lies in a file, the name of what came from elsewhere, ""
/// where nothing is known. Of several places, the first.
std::string placeOf(mlir::Location location);

} // namespace relax::transforms
