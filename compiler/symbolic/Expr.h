//===- Expr.h - integer expressions over named symbols ----------------------------------------===//
//
// A dimension of a tensor is one of these: `n`, `2 * n + 1`, `floordiv(n, 16)`. So are the sizes of
// buffers, the extents of kernels and the guards at the head of a function.
//
// Meaning. An expression stands for an exact integer, as in mathematics, never modulo 2^64.
//   floordiv(a, b)  the quotient rounded towards minus infinity: floordiv(-1, 16) is -1
//   ceildiv(a, b)   the quotient rounded towards plus infinity:  ceildiv(24, 10) is 3
//   mod(a, b)       a - b * floordiv(a, b), so 0 <= mod(a, b) < b: mod(-1, 16) is 15
// Division by b <= 0 has no value, and an expression with such a part anywhere has none either: no
// rule folds `floordiv(5, 0)` to a number, and `n - n` is 0 but `mod(n, m) - mod(n, m)` stays as
// `0 * mod(n, m)`, which still has no value where m <= 0. (With the fact m >= 1, simplify drops
// it.) So rewriting changes neither the value nor where there is one. Symbols stand for int64
// values.
//
// Canonical form. Every expression is brought into one normal form when it is made, and equal
// normal forms are one object: comparing two expressions is comparing two pointers.
//   expression  a sum of terms; a term is a coefficient times atoms; like terms are merged
//   atom        a symbol, or a floordiv, ceildiv, mod, min or max of expressions
//   order       terms and factors in one fixed structural order, the constant term last
// Thus (n + 1) * 2 and 2 + n + n are both `2 * n + 2`. Divisions by a positive constant are brought
// down as far as they go without knowing anything of the symbols: floordiv(32 * n + 5, 16) is `2 *
// n`, floordiv(n + 15, 16) is `ceildiv(n, 16)`, mod(mod(n, 32), 16) is `mod(n, 16)`. Facts about
// symbols (Facts.h) never take part here: simplify and the provers (Prove.h) use those.
//   Two expressions that are always equal but differ in form do exist (`mod(n, 16)` and
// `n - 16 * floordiv(n, 16)`); ask proveEqual.
//
// Overflow. Coefficients and constants are int64. Where merging them would leave int64, or where
// multiplying sums out would make more than maxTerms terms, the two operands stay side by side as
// an unfolded Add or Mul, which counts as an atom: 9223372036854775807 + 1 stays that. Nothing
// wraps. evaluate computes with numbers of up to 16,384 bits, so that the order of a sum cannot
// make it fail.
//
// Threads. A Context may be used from many threads at once; an Expr is immutable.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace relax::symbolic {

class Context;
namespace detail {
struct Node;
class Interner;
} // namespace detail

/// What the outermost operation of an expression is. There is no subtraction: `n - m` is the Add of
/// n and -1 * m.
enum class Kind : uint8_t {
  Symbol,
  FloorDiv, ///< Two operands.
  CeilDiv,  ///< Two operands.
  Mod,      ///< Two operands.
  Min,      ///< Two operands or more.
  Max,      ///< Two operands or more.
  Mul,      ///< Two operands or more; a constant coefficient, where there is one, comes first.
  Add,      ///< Two operands or more; the constant, where there is one, comes last.
  Constant,
};

/// An expression, or null. As large as a pointer and as cheap to copy; lives as long as its
/// Context.
class Expr {
public:
  Expr() = default;
  explicit Expr(const detail::Node *node) : node(node) {}

  explicit operator bool() const { return node != nullptr; }
  /// The same canonical form. Null equals only null.
  bool operator==(const Expr &other) const = default;
  /// The fixed structural order, the same in every process; null comes first.
  bool operator<(const Expr &other) const;

  [[nodiscard]] Kind kind() const;
  [[nodiscard]] Context &getContext() const;

  [[nodiscard]] bool isConstant() const { return kind() == Kind::Constant; }
  [[nodiscard]] bool isConstant(int64_t value) const;
  [[nodiscard]] int64_t constantValue() const;
  [[nodiscard]] bool isSymbol() const { return kind() == Kind::Symbol; }
  [[nodiscard]] const std::string &symbolName() const;

  /// None for constants and symbols, two for divisions, two or more for the rest (see Kind).
  /// Whoever lowers an Add, Mul, Min or Max folds over all of them.
  [[nodiscard]] std::span<const Expr> operands() const;
  [[nodiscard]] Expr lhs() const { return operands()[0]; }
  [[nodiscard]] Expr rhs() const { return operands()[1]; }

  /// Adds the names of all symbols to `names`.
  void collectSymbols(std::set<std::string> &names) const;
  [[nodiscard]] bool usesSymbol(std::string_view name) const;

  /// The text that Context::parse reads back to this same object. "<null>" for null.
  [[nodiscard]] std::string str() const;

  [[nodiscard]] const void *getAsOpaquePointer() const { return node; }
  static Expr getFromOpaquePointer(const void *pointer) {
    return Expr(static_cast<const detail::Node *>(pointer));
  }

private:
  const detail::Node *node = nullptr;
};

/// Owns and uniques expressions. The operands of one call must come from the context itself.
class Context {
public:
  /// Sums longer than this are not multiplied out.
  static constexpr size_t maxTerms = 64;

  Context();
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  Expr constant(int64_t value);
  /// `name` should satisfy isSymbolName, or else the text of the expression cannot be read back.
  Expr symbol(std::string_view name);
  Expr add(Expr a, Expr b);
  Expr sub(Expr a, Expr b);
  Expr mul(Expr a, Expr b);
  Expr floorDiv(Expr a, Expr b);
  Expr ceilDiv(Expr a, Expr b);
  Expr mod(Expr a, Expr b);
  Expr min(Expr a, Expr b);
  Expr max(Expr a, Expr b);
  Expr min(std::span<const Expr> operands);
  Expr max(std::span<const Expr> operands);

  /// Reads an expression: integers, symbols, + - * and parentheses as usual, and the functions
  /// floordiv, ceildiv, mod (two arguments), min and max (two or more). Null on an error, with its
  /// place and reason in `error` if that is given: "column 5: expected ')', found end of text".
  Expr parse(std::string_view text, std::string *error = nullptr);

  /// A letter or underscore, then letters, digits, underscores, dots and dollar signs; not the name
  /// of a function.
  static bool isSymbolName(std::string_view name);

private:
  std::unique_ptr<detail::Interner> interner;
};

inline Expr operator+(Expr a, Expr b) { return a.getContext().add(a, b); }
inline Expr operator-(Expr a, Expr b) { return a.getContext().sub(a, b); }
inline Expr operator*(Expr a, Expr b) { return a.getContext().mul(a, b); }
inline Expr operator+(Expr a, int64_t b) { return a + a.getContext().constant(b); }
inline Expr operator-(Expr a, int64_t b) { return a - a.getContext().constant(b); }
inline Expr operator*(Expr a, int64_t b) { return a * a.getContext().constant(b); }

/// `expr` with each symbol that `values` names replaced, all at once. The values are of the same
/// context. Symbols that `values` doesn't name stay.
Expr substitute(Expr expr, const std::map<std::string, Expr> &values);

/// `expr` rebuilt in another context.
Expr importInto(Context &context, Expr expr);

/// The exact value; none if a symbol has no value, a divisor isn't positive, or the value itself
/// doesn't fit int64, or an intermediate result 16,384 bits, which takes a product of more than 250
/// numbers of 64 bits.
std::optional<int64_t> evaluate(Expr expr, const std::map<std::string, int64_t> &values);

} // namespace relax::symbolic

template <> struct std::hash<relax::symbolic::Expr> {
  size_t operator()(const relax::symbolic::Expr &expr) const noexcept {
    return std::hash<const void *>()(expr.getAsOpaquePointer());
  }
};
