//===- Solve.h - symbols from equations, and values that break constraints --------------------===//
//
// A call gives the symbols of the callee their values: a parameter of extent `n` takes that of the
// argument, `2 * n + 1` gives n by solving, and what remains, a second use of n or an expression of
// known symbols, is an equation that is proved or checked at run time.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Prove.h"

#include <vector>

namespace relax::symbolic {

/// Expressions by the symbols that they are the values of.
using Bindings = std::map<std::string, Expr>;

/// The value of a symbol, right if `checks` hold; those that are proved already aren't in there.
struct Solution {
  Expr value;
  std::vector<Constraint> checks;
};

/// The value of `symbol` for which expr == value: 2 * n + 1 == m gives floordiv(m - 1, 2) (in
/// canonical form) and the check that 2 divides m - 1; n * k == m gives floordiv(m, k), and checks
/// 1 <= k and that k divides m. None if `expr` doesn't determine it: it doesn't use the symbol, or
/// not as a factor of terms (n * n, floordiv(n, 2)), or `value` uses it.
std::optional<Solution> solveFor(Expr expr, std::string_view symbol, Expr value,
                                 const Facts &facts);

enum class Unified : uint8_t {
  Proved,   ///< They are equal, with what was bound.
  Checked,  ///< They are equal if the checks that were added hold.
  Mismatch, ///< They can't be equal.
  Unbound,  ///< Some symbol of the formal has no value and can't be solved for.
};

/// Makes `formal`, in symbols of its own, equal to `actual`, in symbols of which `facts` tell.
/// `bindings` gives formal symbols their values, expressions of the actual's kind; a symbol without
/// one is solved for and bound. Symbols of the two sides have nothing to do with each other, even
/// those of one name.
Unified unify(Expr formal, Expr actual, Bindings &bindings, std::vector<Constraint> &checks,
              const Facts &facts);

struct Equation {
  Expr formal, actual;
};

/// What unifying several equations at once gave.
struct Unification {
  Unified result = Unified::Proved; ///< The worst: Mismatch, then Unbound, Checked, Proved.
  Bindings bindings;
  std::vector<Constraint> checks;
  std::optional<size_t> failed; ///< The first equation that is a Mismatch, or else Unbound.
};

/// Unifies all equations, in an order in which each symbol is bound before it is needed: for
/// [n, m, n * m] with [16, k, 16 * k], n and m first, wherever they stand.
Unification unifyAll(std::span<const Equation> equations, const Facts &facts);

/// What is known where one of two paths was taken: `a`, if both are proved equal; null, an unknown
/// dimension, if not, or if one is null.
Expr join(Expr a, Expr b, const Facts &facts);

/// Whether an expression has grown so large that nothing is proved of it any more. One that is made
/// from itself, over and over, grows without end, and doubles each time if it is used twice;
/// whoever makes expressions from expressions makes such a dimension unknown instead.
bool isTooLarge(Expr expr);

/// A choice of symbols that the facts allow and for which the constraint fails; that with the
/// smallest values that a bounded search finds. For messages: "fails for n = 1, m = 2". None if the
/// constraint is proved, or none was found.
std::optional<Assignment> counterexample(const Constraint &constraint, const Facts &facts);

/// "n = 1, m = 2".
std::string describe(const Assignment &assignment);

} // namespace relax::symbolic
