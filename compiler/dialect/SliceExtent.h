//===- SliceExtent.h - where a slice begins and how long it is
//---------------------------------===//
//
// As NumPy's x[start:end:step] on a dimension of extent d. A start or end below 0 counts from the
// end (start + d); then both are clamped: to [0, d] for a positive step, to [-1, d - 1] for a
// negative one. Whether a symbolic start is below 0 may not be known; then the expression decides:
//
//   start < 0 ? start + d : start   is   start + d * min(1, max(0, -start))
//
// so one formula is right for every value of the symbols.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Expr.h"
#include "compiler/symbolic/Facts.h"

namespace relax::ir {

struct SliceExtent {
  symbolic::Expr start;  ///< Of the first element; meaningful where length is above 0.
  symbolic::Expr length; ///< How many elements.
};

/// What the end says by these values is the end (the begin, for a negative step) of the dimension.
inline constexpr int64_t sliceToEnd = INT64_MAX;
inline constexpr int64_t sliceToBegin = INT64_MIN + 1;

/// `dim` >= 0; `facts` say what is known of the symbols; step isn't 0.
SliceExtent sliceExtent(symbolic::Expr dim, symbolic::Expr start, symbolic::Expr end, int64_t step,
                        const symbolic::Facts &facts);

} // namespace relax::ir
