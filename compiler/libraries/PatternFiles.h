//===- PatternFiles.h - patterns of users, read when the compiler runs ------------------------===//
//
// A file of PDL (text IR) or PDLL adds entries for a library without building anything:
//
//   Constraint Claimable(root: Op, a: Value, b: Value, claim: Attr);
//   Rewrite ClaimLibrary(root: Op, a: Value, b: Value, claim: Attr);
//   Pattern {
//     let claim = attr<"{function = \"my.scaled\", when = {x0_0 = 64}}">;
//     let root = op<relax.relu>(op<relax.matmul>(a: Value, b: Value));
//     Claimable(root, a, b, claim);
//     rewrite root with { ClaimLibrary(root, a, b, claim); };
//   }
//
// What a pattern may use beside PDL's own, with as many inputs as it has:
//   Claimable(root, inputs…, claim)     the ops between the inputs and root are a region of their
//                                       own, whose sizes follow from the inputs
//   ClaimLibrary(root, inputs…, claim)  puts the call of the library in their place
//   ElementType(value, "f32"), Rank(value, 2), SameShape(a, b)    legality
//
// A claim is {function = "name", options = {…}, when = {x0_0 = 64}, required}: integer options for
// the function; the sizes from which on it is called, as expressions over x<operand>_<dimension>
// (quoted where they aren't names), all of which must hold; and `required` where there shall be no
// alternative. docs/libraries.md is the guide.
//
// PDLL is translated by mlir-pdll, which comes with MLIR's tools.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/libraries/Claim.h"

#include "mlir/Rewrite/FrozenRewritePatternSet.h"

namespace relax::libraries {

/// The claimer of the pass that runs the patterns; null while none does.
struct PatternHost {
  Claimer *claimer = nullptr;
  ir::CallLibraryOp made; ///< By the pattern that was applied last.
};

/// Reads the files and prepares their patterns; reports on the context what is wrong. `host` lives
/// as long as the patterns.
mlir::FailureOr<mlir::FrozenRewritePatternSet>
readPatternFiles(mlir::MLIRContext *context, mlir::ArrayRef<std::string> paths, PatternHost &host);

} // namespace relax::libraries
