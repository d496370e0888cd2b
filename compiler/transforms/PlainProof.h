//===- PlainProof.h - comparisons that are plain to see ---------------------------------------===//
//
// Planning memory compares thousands of sums of sizes, nearly all of them either equal in form or
// plainly ordered: every term of the difference has a positive coefficient and can't be negative.
// That is decided here in a microsecond; what isn't, the prover can be asked (Prove.h).
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Facts.h"

#include <vector>

namespace relax::transforms {

/// Whether `expr` is plainly never negative, by the signs of its parts and the ranges of symbols.
bool isPlainlyNonNegative(symbolic::Expr expr, const symbolic::Facts &facts);

/// Expressions of which `expr` is the maximum, none of them a sum with a maximum in it: n + max(a,
/// b) is the maximum of n + a and n + b. Only `expr` itself if there would be more than `most`.
std::vector<symbolic::Expr> casesOfMaximum(symbolic::Expr expr, size_t most);

/// Whether a <= b is plain to see. False says nothing.
bool isPlainlyAtMost(symbolic::Expr a, symbolic::Expr b, const symbolic::Facts &facts);

} // namespace relax::transforms
