//===- Broadcast.h - the extent of what is broadcast ------------------------------------------===//
//
// Extents that broadcast are all one value d, but for some that are 1. Their common extent is d:
// the largest, except where d is 0 and others are 1. As an expression, with M the largest of them:
//
//   M + min(1, all of them) - min(1, M)
//
// where d >= 1 both minima are 1; where d is 0 the first is 0, the second is M. So it is linear,
// which the provers decide completely, and where all extents are known to be 1 or more it
// simplifies to M. One that is broadcast again joins the same list, and once more with one of its
// own parts is itself: a chain of broadcasts is as long as the list of different extents.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Expr.h"

namespace relax::symbolic {

/// The extent of a broadcast of extents `a` and `b`, of which one may be such an extent itself.
/// Exact where they broadcast and none is negative; says nothing otherwise.
Expr broadcastExtent(Expr a, Expr b);

} // namespace relax::symbolic
