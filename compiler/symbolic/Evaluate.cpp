//===- Evaluate.cpp - the value of an expression, and substitution ----------------------------===//
//
// evaluate computes in int64 first and, where that overflows, again with BigInt of up to 16384
// bits.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/symbolic/BigInt.h"
#include "compiler/symbolic/Node.h"

#include <algorithm>
#include <unordered_map>

namespace relax::symbolic {
using namespace detail;

namespace {

/// An int64 that says when it overflowed.
class Checked {
public:
  Checked(int64_t value = 0) : value(value) {}
  [[nodiscard]] bool overflowed() const { return bad; }
  [[nodiscard]] std::optional<int64_t> toInt64() const { return value; }
  [[nodiscard]] bool isPositive() const { return value > 0; }

  friend Checked operator+(Checked a, Checked b) {
    Checked sum;
    sum.bad = __builtin_add_overflow(a.value, b.value, &sum.value);
    return sum;
  }
  friend Checked operator*(Checked a, Checked b) {
    Checked product;
    product.bad = __builtin_mul_overflow(a.value, b.value, &product.value);
    return product;
  }
  friend Checked operator-(Checked a) { return a * Checked(-1); }
  friend bool operator<(Checked a, Checked b) { return a.value < b.value; }
  static Checked floorDiv(Checked a, Checked b) {
    return static_cast<int64_t>(floorQuotient(a.value, b.value));
  }

private:
  int64_t value;
  bool bad = false;
};

/// A BigInt in the same clothes.
class Exact : public BigInt {
public:
  Exact(int64_t value = 0) : BigInt(value) {}
  Exact(BigInt value) : BigInt(std::move(value)) {}
  /// Beyond 16384 bits, so that x to the 2^40 ends, too.
  [[nodiscard]] bool overflowed() const { return length() > 512; }
  [[nodiscard]] bool isPositive() const { return !isNegative() && !isZero(); }
};

template <typename Number> class Evaluator {
public:
  Evaluator(const std::map<std::string, int64_t> &values) : values(values) {}

  /// None if there is no value, or if Number overflowed.
  std::optional<Number> operator()(Expr expr) {
    const Node &node = get(expr);
    if (node.kind == Kind::Constant)
      return Number(node.value);
    if (node.kind == Kind::Symbol) {
      auto found = values.find(node.name);
      return found == values.end() ? std::nullopt : std::optional<Number>(Number(found->second));
    }
    auto [known, isNew] = cache.try_emplace(expr);
    if (isNew) {
      std::optional<Number> value = compute(node);
      cache[expr] = value; // The iterator may be stale: compute adds to the cache.
      return value;
    }
    return known->second;
  }

  [[nodiscard]] bool overflowed() const { return sawOverflow; }

private:
  std::optional<Number> check(Number number) {
    if (!number.overflowed())
      return number;
    sawOverflow = true;
    return std::nullopt;
  }

  std::optional<Number> apply(Kind kind, const Number &a, const Number &b) {
    switch (kind) {
    case Kind::Add:
      return check(a + b);
    case Kind::Mul:
      return check(a * b);
    case Kind::Min:
      return b < a ? b : a;
    case Kind::Max:
      return a < b ? b : a;
    default:
      return divide(kind, a, b);
    }
  }

  std::optional<Number> divide(Kind kind, const Number &a, const Number &b) {
    if (!b.isPositive())
      return std::nullopt;
    if (kind == Kind::FloorDiv)
      return check(Number::floorDiv(a, b));
    if (kind == Kind::Mod) {
      std::optional<Number> multiple = check(Number::floorDiv(a, b) * b);
      return multiple ? check(a + -*multiple) : std::nullopt;
    }
    std::optional<Number> negated = check(-a);
    return negated ? check(-Number(Number::floorDiv(*negated, b))) : std::nullopt;
  }

  std::optional<Number> compute(const Node &node) {
    std::optional<Number> result = (*this)(node.operands[0]);
    for (size_t i = 1; i < node.operands.size() && result; ++i) {
      std::optional<Number> operand = (*this)(node.operands[i]);
      result = operand ? apply(node.kind, *result, *operand) : std::nullopt;
    }
    return result;
  }

  const std::map<std::string, int64_t> &values;
  std::unordered_map<Expr, std::optional<Number>> cache;
  bool sawOverflow = false;
};

} // namespace

std::optional<int64_t> evaluate(Expr expr, const std::map<std::string, int64_t> &values) {
  Evaluator<Checked> quick(values);
  std::optional<Checked> value = quick(expr);
  if (value)
    return value->toInt64();
  if (!quick.overflowed())
    return std::nullopt;
  std::optional<Exact> exact = Evaluator<Exact>(values)(expr);
  return exact ? exact->toInt64() : std::nullopt;
}

namespace {

/// Rebuilds an expression from its operands; `leaf` gives the new constants and symbols.
template <typename Leaf> class Rebuilder {
public:
  Rebuilder(Context &context, Leaf leaf) : context(context), leaf(std::move(leaf)) {}

  Expr operator()(Expr expr) {
    if (expr.operands().empty())
      return leaf(expr);
    if (auto known = cache.find(expr); known != cache.end())
      return known->second;
    std::vector<Expr> operands;
    for (Expr operand : expr.operands())
      operands.push_back((*this)(operand));
    Expr result = rebuild(context, expr.kind(), operands);
    cache.emplace(expr, result);
    return result;
  }

private:
  Context &context;
  Leaf leaf;
  std::unordered_map<Expr, Expr> cache;
};

} // namespace

Expr detail::rebuild(Context &context, Kind kind, std::span<const Expr> operands) {
  Expr result = operands[0];
  switch (kind) {
  case Kind::Add:
    for (Expr operand : operands.subspan(1))
      result = context.add(result, operand);
    return result;
  case Kind::Mul:
    for (Expr operand : operands.subspan(1))
      result = context.mul(result, operand);
    return result;
  case Kind::Min:
    return context.min(operands);
  case Kind::Max:
    return context.max(operands);
  case Kind::FloorDiv:
    return context.floorDiv(operands[0], operands[1]);
  case Kind::CeilDiv:
    return context.ceilDiv(operands[0], operands[1]);
  case Kind::Mod:
    return context.mod(operands[0], operands[1]);
  case Kind::Constant:
  case Kind::Symbol:
    break;
  }
  return result;
}

Expr substitute(Expr expr, const std::map<std::string, Expr> &values) {
  return Rebuilder(expr.getContext(), [&](Expr leaf) {
    if (!leaf.isSymbol())
      return leaf;
    auto found = values.find(leaf.symbolName());
    return found == values.end() ? leaf : found->second;
  })(expr);
}

Expr importInto(Context &context, Expr expr) {
  return Rebuilder(context, [&](Expr leaf) {
    return leaf.isSymbol() ? context.symbol(leaf.symbolName())
                           : context.constant(leaf.constantValue());
  })(expr);
}

} // namespace relax::symbolic
