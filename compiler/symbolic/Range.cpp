//===- Range.cpp - interval arithmetic --------------------------------------------------------===//
//
// An end that leaves int64 becomes unknown, which is always sound. Nothing here knows of facts; the
// ranges of the operands come from the caller.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/symbolic/Node.h"

#include <algorithm>

namespace relax::symbolic::detail {

static std::optional<int64_t> narrow(Wide value) {
  return fitsInt64(value) ? std::optional<int64_t>(static_cast<int64_t>(value)) : std::nullopt;
}

static std::optional<int64_t> addEnds(std::optional<int64_t> a, std::optional<int64_t> b) {
  return a && b ? narrow(Wide(*a) + *b) : std::nullopt;
}

Bounds addBounds(Bounds a, Bounds b) { return {addEnds(a.lo, b.lo), addEnds(a.hi, b.hi)}; }

namespace {
/// An end of an interval: a number, or infinity with a sign.
struct End {
  int infinite = 0; ///< -1, 0, +1.
  Wide value = 0;

  [[nodiscard]] int sign() const { return infinite ? infinite : (value > 0) - (value < 0); }
  bool operator<(const End &other) const {
    return infinite != other.infinite ? infinite < other.infinite
                                      : (infinite == 0 && value < other.value);
  }
};
} // namespace

static End lowEnd(Bounds range) { return range.lo ? End{0, *range.lo} : End{-1, 0}; }
static End highEnd(Bounds range) { return range.hi ? End{0, *range.hi} : End{1, 0}; }

static End mulEnds(End a, End b) {
  if (a.infinite || b.infinite)
    return {a.sign() * b.sign(), 0}; // 0 * infinity is 0: the other end bounds a finite number.
  return {0, a.value * b.value};
}

static Bounds toBounds(End lo, End hi) {
  return {lo.infinite ? std::nullopt : narrow(lo.value),
          hi.infinite ? std::nullopt : narrow(hi.value)};
}

Bounds mulBounds(Bounds a, Bounds b) {
  End products[] = {mulEnds(lowEnd(a), lowEnd(b)), mulEnds(lowEnd(a), highEnd(b)),
                    mulEnds(highEnd(a), lowEnd(b)), mulEnds(highEnd(a), highEnd(b))};
  return toBounds(*std::min_element(std::begin(products), std::end(products)),
                  *std::max_element(std::begin(products), std::end(products)));
}

/// The values a * a.
static Bounds squareBounds(Bounds a) {
  Bounds product = mulBounds(a, a);
  if (!product.lo || *product.lo < 0)
    product.lo = 0;
  return product;
}

/// `divisor` has a lo of at least 1. Rounds down; the values for rounding up follow by negation.
static Bounds quotientBounds(Bounds a, Bounds divisor) {
  // The quotient has the sign of the dividend and is nearest to zero for the largest divisor.
  auto quotient = [&](End end, bool low) -> End {
    if (end.infinite)
      return end;
    bool smallDivisor = low == (end.value < 0);
    if (smallDivisor)
      return {0, floorQuotient(end.value, *divisor.lo)};
    if (!divisor.hi)
      return {0, end.value < 0 ? -1 : 0};
    return {0, floorQuotient(end.value, *divisor.hi)};
  };
  return toBounds(quotient(lowEnd(a), true), quotient(highEnd(a), false));
}

static Bounds negateBounds(Bounds a) { return mulBounds(a, {-1, -1}); }

static Bounds modBounds(Bounds a, Bounds divisor) {
  Bounds result{0, divisor.hi ? std::optional<int64_t>(*divisor.hi - 1) : std::nullopt};
  if (!a.lo || *a.lo < 0)
    return result;
  if (a.hi && *a.hi < *divisor.lo)
    return a; // Nothing to take away.
  if (a.hi && (!result.hi || *a.hi < *result.hi))
    result.hi = a.hi;
  return result;
}

static Bounds extremeBounds(std::span<const Bounds> ranges, bool isMin) {
  Bounds result = ranges[0];
  for (Bounds range : ranges.subspan(1)) {
    End lo =
        isMin ? std::min(lowEnd(result), lowEnd(range)) : std::max(lowEnd(result), lowEnd(range));
    End hi = isMin ? std::min(highEnd(result), highEnd(range))
                   : std::max(highEnd(result), highEnd(range));
    result = toBounds(lo, hi);
  }
  return result;
}

static Bounds productBounds(std::span<const Expr> operands, std::span<const Bounds> ranges) {
  Bounds result{1, 1};
  for (size_t i = 0; i < operands.size(); ++i) {
    bool square = i + 1 < operands.size() && operands[i] == operands[i + 1];
    result = mulBounds(result, square ? squareBounds(ranges[i]) : ranges[i]);
    i += square;
  }
  return result;
}

Bounds rangeOf(Kind kind, std::span<const Expr> operands, std::span<const Bounds> ranges) {
  switch (kind) {
  case Kind::Constant:
  case Kind::Symbol:
    return {};
  case Kind::Add: {
    Bounds sum{0, 0};
    for (Bounds range : ranges)
      sum = addBounds(sum, range);
    return sum;
  }
  case Kind::Mul:
    return productBounds(operands, ranges);
  case Kind::Min:
  case Kind::Max:
    return extremeBounds(ranges, kind == Kind::Min);
  case Kind::FloorDiv:
  case Kind::CeilDiv:
  case Kind::Mod:
    break;
  }
  Bounds divisor = ranges[1];
  if (!divisor.lo || *divisor.lo < 1)
    divisor.lo = 1;
  if (divisor.hi && *divisor.hi < 1)
    return {}; // Never has a value.
  if (kind == Kind::Mod)
    return modBounds(ranges[0], divisor);
  if (kind == Kind::FloorDiv)
    return quotientBounds(ranges[0], divisor);
  return negateBounds(quotientBounds(negateBounds(ranges[0]), divisor));
}

std::optional<int64_t> commonQuotient(Bounds range, int64_t divisor) {
  if (!range.lo || !range.hi)
    return std::nullopt;
  Wide quotient = floorQuotient(*range.lo, divisor);
  if (quotient != floorQuotient(*range.hi, divisor))
    return std::nullopt;
  return static_cast<int64_t>(quotient);
}

} // namespace relax::symbolic::detail
