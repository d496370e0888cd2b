#include "compiler/dialect/SliceExtent.h"

#include "compiler/symbolic/Prove.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>

using llvm::SmallVector;
using llvm::SmallVectorImpl;
using relax::symbolic::Expr;
using relax::symbolic::Kind;
using relax::symbolic::Proof;

namespace relax::ir {
namespace {

/// The bounds of an expression, an end missing where there is none.
struct Range {
  std::optional<__int128> lo, hi;
};

/// `coefficient` times a symbol, or a number alone (no symbol). False for any other term.
bool splitTerm(Expr term, int64_t &coefficient, Expr &symbol) {
  coefficient = 1;
  symbol = {};
  if (term.isConstant())
    coefficient = term.constantValue();
  else if (term.isSymbol())
    symbol = term;
  else if (term.kind() == Kind::Mul && term.operands().size() == 2 && term.lhs().isConstant() &&
           term.rhs().isSymbol())
    coefficient = term.lhs().constantValue(), symbol = term.rhs();
  else
    return false;
  return true;
}

/// A sum of symbols, each with a coefficient, and a number.
struct Affine {
  SmallVector<std::pair<Expr, __int128>, 4> symbols;
  __int128 number = 0;

  /// Adds `sign` times an expression. False if it is none of this kind.
  bool add(Expr expr, int sign) {
    bool isSum = expr.kind() == Kind::Add;
    for (Expr term : isSum ? expr.operands() : std::span<const Expr>(&expr, 1)) {
      int64_t coefficient = 0;
      Expr symbol;
      if (!splitTerm(term, coefficient, symbol))
        return false;
      if (!symbol) {
        number += __int128(coefficient) * sign;
        continue;
      }
      auto *known = llvm::find_if(symbols, [&](const auto &each) { return each.first == symbol; });
      if (known == symbols.end())
        known = symbols.insert(known, {symbol, 0});
      known->second += __int128(coefficient) * sign;
    }
    return true;
  }
};

/// The exact bounds of `expr` - `minus` over all choices that the ranges of symbols allow: what a
/// prover would say, at a fraction of its cost. None if they aren't sums of symbols and numbers, or
/// where facts say more than ranges.
std::optional<Range> affineRange(Expr expr, const symbolic::Facts &facts, Expr minus = {}) {
  Affine affine;
  if (facts.hasRelations() || !affine.add(expr, 1) || (minus && !affine.add(minus, -1)))
    return std::nullopt;
  Range sum{affine.number, affine.number};
  for (auto [symbol, coefficient] : affine.symbols) {
    const symbolic::SymbolRange *range = facts.find(symbol.symbolName());
    if (range && range->divisor > 1)
      return std::nullopt;
    Range values;
    if (range && range->lo != INT64_MIN)
      values.lo = range->lo;
    if (range && range->hi)
      values.hi = *range->hi;
    if (coefficient < 0)
      std::swap(values.lo, values.hi);
    auto add = [&, times = coefficient](std::optional<__int128> &end,
                                        std::optional<__int128> value) {
      if (times != 0)
        end = end && value ? std::optional(*end + *value * times) : std::nullopt;
    };
    add(sum.lo, values.lo);
    add(sum.hi, values.hi);
  }
  return sum;
}

/// Whether a <= b always, or not always; none if that takes a prover.
std::optional<bool> isLessEqual(Expr a, Expr b, const symbolic::Facts &facts) {
  std::optional<Range> difference = affineRange(b, facts, a);
  return difference ? std::optional(difference->lo && *difference->lo >= 0) : std::nullopt;
}

/// The operands of a min or max without those that never win. False if that takes a prover.
bool dropLosers(SmallVectorImpl<Expr> &operands, bool isMin, const symbolic::Facts &facts) {
  for (size_t i = 0; i < operands.size();) {
    bool loses = false;
    for (size_t j = 0; j < operands.size() && !loses; ++j) {
      if (i == j)
        continue;
      Expr small = isMin ? operands[j] : operands[i], large = isMin ? operands[i] : operands[j];
      std::optional<bool> ordered = isLessEqual(small, large, facts);
      if (!ordered)
        return false;
      loses = *ordered;
    }
    if (loses)
      operands.erase(operands.begin() + i);
    else
      ++i;
  }
  return true;
}

/// max(0, min(distances)) and the minimum or maximum of `firsts` in their shortest form, if all of
/// them are sums of symbols and numbers.
std::optional<SliceExtent> affineExtent(SmallVector<Expr, 2> firsts, SmallVector<Expr, 4> distances,
                                        bool upwards, const symbolic::Facts &facts) {
  if (!dropLosers(firsts, !upwards, facts) || !dropLosers(distances, /*isMin=*/true, facts))
    return std::nullopt;
  symbolic::Context &context = firsts[0].getContext();
  Expr zero = context.constant(0), first = upwards ? context.max(firsts) : context.min(firsts);
  // One that is never above 0 leaves nothing; those that are never below 0 need no maximum.
  bool mayBeNegative = false;
  for (Expr distance : distances) {
    if (*isLessEqual(distance, zero, facts))
      return SliceExtent{first, zero};
    mayBeNegative |= !*isLessEqual(zero, distance, facts);
  }
  Expr length = context.min(distances);
  return SliceExtent{first, mayBeNegative ? context.max(zero, length) : length};
}

/// The slice where all is known.
SliceExtent constantExtent(symbolic::Context &context, int64_t dim, int64_t start, int64_t end,
                           int64_t step) {
  const __int128 low = step < 0 ? -1 : 0, high = step < 0 ? __int128(dim) - 1 : dim;
  auto clamped = [&](int64_t value) {
    return std::clamp(value < 0 ? __int128(value) + dim : __int128(value), low, high);
  };
  const __int128 first = clamped(start), last = clamped(end),
                 distance = step < 0 ? first - last : last - first,
                 width = step < 0 ? -__int128(step) : step,
                 length = distance <= 0 ? 0 : (distance + width - 1) / width;
  return {context.constant(static_cast<int64_t>(first)),
          context.constant(static_cast<int64_t>(length))};
}

enum class Sign : uint8_t { NotNegative, Negative, Unknown };

Sign signOf(Expr expr, const symbolic::Facts &facts) {
  if (expr.isConstant())
    return expr.constantValue() < 0 ? Sign::Negative : Sign::NotNegative;
  if (std::optional<Range> range = affineRange(expr, facts)) {
    if (range->lo && *range->lo >= 0)
      return Sign::NotNegative;
    return range->hi && *range->hi < 0 ? Sign::Negative : Sign::Unknown;
  }
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
  if (dim.isConstant() && start.isConstant() && end.isConstant())
    return constantExtent(context, dim.constantValue(), start.constantValue(), end.constantValue(),
                          step);
  Expr zero = context.constant(0);
  Sign startSign = signOf(start, facts), endSign = signOf(end, facts);
  // Upwards the slice is from the largest of `firsts` to the smallest of `lasts`, downwards the
  // other way round. Of each clamp only what can change the length is there: where one end is
  // beyond the dimension, the other one bounds the length.
  SmallVector<Expr, 2> firsts, lasts;
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
  SmallVector<Expr, 4> distances;
  for (Expr first : firsts)
    for (Expr last : lasts)
      distances.push_back(step > 0 ? last - first : first - last);
  std::optional<SliceExtent> affine = affineExtent(firsts, distances, step > 0, facts);
  if (affine && (step == 1 || step == -1))
    return *affine;
  Expr length = affine ? affine->length : context.max(zero, context.min(distances));
  if (affine && affineRange(length, facts))
    return {affine->start, context.ceilDiv(length, context.constant(step > 0 ? step : -step))};
  if (step != 1 && step != -1)
    length = context.ceilDiv(length, context.constant(step > 0 ? step : -step));
  Expr first = step > 0 ? context.max(firsts) : context.min(firsts);
  // What depends on a sign that isn't known has no shorter form, and looking for one takes long.
  if (startSign == Sign::Unknown || endSign == Sign::Unknown)
    return {first, length};
  return {symbolic::simplify(first, facts), symbolic::simplify(length, facts)};
}

} // namespace relax::ir
