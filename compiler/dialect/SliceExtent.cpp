#include "compiler/dialect/SliceExtent.h"

#include "compiler/symbolic/Prove.h"

#include <vector>

using relax::symbolic::Expr;
using relax::symbolic::Proof;

namespace relax::ir {
namespace {

enum class Sign : uint8_t { NotNegative, Negative, Unknown };

Sign signOf(Expr expr, const symbolic::Facts &facts) {
  if (expr.isConstant())
    return expr.constantValue() < 0 ? Sign::Negative : Sign::NotNegative;
  switch (symbolic::proveLessEqual(expr.getContext().constant(0), expr, facts)) {
  case Proof::Proved:
    return Sign::NotNegative;
  case Proof::Refuted:
    return Sign::Negative;
  case Proof::Unknown:
    break;
  }
  return Sign::Unknown;
}

/// `value`, counted from the end of `dim` where it is below 0.
Expr fromBegin(Expr value, Expr dim, Sign sign) {
  if (sign == Sign::NotNegative)
    return value;
  if (sign == Sign::Negative)
    return value + dim;
  symbolic::Context &context = value.getContext();
  Expr zero = context.constant(0);
  Expr below = context.min(context.constant(1), context.max(zero, zero - value));
  return value + dim * below;
}

} // namespace

SliceExtent sliceExtent(Expr dim, Expr start, Expr end, int64_t step,
                        const symbolic::Facts &facts) {
  symbolic::Context &context = dim.getContext();
  Expr zero = context.constant(0);
  Sign startSign = signOf(start, facts), endSign = signOf(end, facts);
  // Upwards the slice is from the largest of `firsts` to the smallest of `lasts`, downwards the
  // other way round. Of each clamp only what can change the length is there: where one end is
  // beyond the dimension, the other one bounds the length.
  std::vector<Expr> firsts, lasts;
  // A start at one of the ends of int64 is at an end of the dimension, or beyond it.
  bool extreme =
      start.isConstant() && (start.isConstant(sliceToEnd) || start.constantValue() <= sliceToBegin);
  if (extreme && (step > 0) == (startSign == Sign::NotNegative))
    return {zero, zero}; // It begins where the dimension ends: no dimension is that large.
  if (!extreme)
    firsts.push_back(fromBegin(start, dim, startSign));
  if (step > 0) {
    if (startSign != Sign::NotNegative)
      firsts.push_back(zero);
    if (!end.isConstant(sliceToEnd))
      lasts.push_back(fromBegin(end, dim, endSign));
    if (endSign != Sign::Negative)
      lasts.push_back(dim);
  } else {
    if (startSign != Sign::Negative)
      firsts.push_back(dim - 1);
    if (!end.isConstant() || end.constantValue() > sliceToBegin)
      lasts.push_back(fromBegin(end, dim, endSign));
    if (endSign != Sign::NotNegative)
      lasts.push_back(context.constant(-1));
  }
  std::vector<Expr> distances;
  for (Expr first : firsts)
    for (Expr last : lasts)
      distances.push_back(step > 0 ? last - first : first - last);
  Expr length = context.max(zero, context.min(distances));
  if (step != 1 && step != -1)
    length = context.ceilDiv(length, context.constant(step > 0 ? step : -step));
  Expr first = step > 0 ? context.max(firsts) : context.min(firsts);
  // What depends on a sign that isn't known has no shorter form, and looking for one takes long.
  if (startSign == Sign::Unknown || endSign == Sign::Unknown)
    return {first, length};
  return {symbolic::simplify(first, facts), symbolic::simplify(length, facts)};
}

} // namespace relax::ir
