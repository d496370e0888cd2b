//===- LibraryPatterns.h - libraries of users, by patterns from files ------------------------===//
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
// What a pattern may use beside what transforms/PatternFiles.h has, with as many inputs as it has:
//   Claimable(root, inputs…, claim)     the ops between the inputs and root are a region of their
//                                       own, whose sizes follow from the inputs
//   ClaimLibrary(root, inputs…, claim)  puts the call of the library in their place
//
// A claim is {function = "name", options = {…}, when = {x0_0 = 64}, required}: integer options for
// the function; the sizes from which on it is called, as expressions over x<operand>_<dimension>
// (quoted where they aren't names), all of which must hold; and `required` where there shall be no
// alternative. docs/libraries.md is the guide.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/libraries/Claim.h"
#include "compiler/transforms/PatternFiles.h"

namespace relax::libraries {

/// What the pass that runs the patterns claims with; null while none does.
struct PatternHost {
  transforms::FilePatterns patterns;
  Claimer *claimer = nullptr;
};

/// What such patterns may call. `host` lives as long as the patterns.
transforms::PatternFunctions libraryPatternFunctions(PatternHost &host);

} // namespace relax::libraries
