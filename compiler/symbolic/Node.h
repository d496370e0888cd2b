//===- Node.h - how symbolic/ stores expressions; for this folder only ------------------------===//
//
// An Expr points to a Node. Interner::get returns the one Node with given contents, so nodes must
// be in normal form before they get there: the rules are in Sum.cpp, Divide.cpp and MinMax.cpp,
// which implement the operations of Context.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Expr.h"
#include "compiler/symbolic/Prove.h"

#include <array>
#include <atomic>
#include <deque>
#include <mutex>
#include <unordered_set>
#include <vector>

namespace relax::symbolic::detail {

/// Wide enough for any sum, difference or product of two int64.
using Wide = __int128;

inline bool fitsInt64(Wide value) { return value >= INT64_MIN && value <= INT64_MAX; }
inline Wide floorQuotient(Wide a, Wide b) {
  Wide quotient = a / b;
  return a % b != 0 && (a % b < 0) != (b < 0) ? quotient - 1 : quotient;
}

struct Node {
  Kind kind = Kind::Constant;
  /// An Add or Mul that was left as it is because folding it would leave int64 or grow too large.
  /// It has two operands, and counts as an atom.
  bool unfolded = false;
  int64_t value = 0; ///< Of a constant.
  std::string name;  ///< Of a symbol.
  std::vector<Expr> operands;

  // What follows is computed from the above.

  Context *context = nullptr;
  size_t hash = 0;
  /// How many nodes the expression has, written as a tree; saturates.
  uint32_t size = 1;
  /// There may be values of the symbols for which this has no value: some divisor in it isn't known
  /// to be positive.
  bool partial = false;
  /// The node as a term: coefficient * monomial. A constant has no monomial.
  int64_t coefficient = 1;
  Expr monomial;
  /// Bounds that hold for all values of the symbols.
  Bounds range;
};

/// Owns the nodes of one Context.
class Interner {
public:
  explicit Interner(Context &context) : context(context) {}
  Expr get(Kind kind, std::span<const Expr> operands, bool unfolded = false);
  Expr get(Kind kind, Expr a, Expr b, bool unfolded = false) {
    Expr both[] = {a, b};
    return get(kind, both, unfolded);
  }
  Expr getConstant(int64_t value);
  Expr getSymbol(std::string_view name);

private:
  Expr intern(Node &&node);

  /// What tells an operation from others: most that are asked for are there already, and what else
  /// a node has needn't be computed then.
  struct Operation {
    Kind kind;
    bool unfolded;
    std::span<const Expr> operands;
    size_t hash;
  };
  struct Hash {
    using is_transparent = void;
    size_t operator()(const Node *node) const { return node->hash; }
    size_t operator()(const Operation &operation) const { return operation.hash; }
  };
  struct Same {
    using is_transparent = void;
    bool operator()(const Node *a, const Node *b) const;
    bool operator()(const Operation &a, const Node *b) const;
    bool operator()(const Node *a, const Operation &b) const { return (*this)(b, a); }
  };
  /// Constants from `smallest` on, once they are made: almost all that are ever asked for.
  static constexpr int64_t smallest = -2;
  std::array<std::atomic<const Node *>, 34> small{};
  Context &context;
  std::mutex mutex;
  std::deque<Node> nodes;
  std::unordered_set<const Node *, Hash, Same> index;
};

inline const Node &get(Expr expr) { return *static_cast<const Node *>(expr.getAsOpaquePointer()); }
/// Negative, 0 or positive as `a` comes before, is, or comes after `b` in the structural order.
int compare(Expr a, Expr b);

//===- Terms (Sum.cpp) ------------------------------------------------------------------------===//

struct Term {
  int64_t coefficient;
  Expr monomial; ///< Null for the constant term.
};

/// The terms of `expr`: those of a folded Add, or the one that it is. Constant term last.
std::vector<Term> termsOf(Expr expr);
/// The atoms of a term's monomial, in order; none for a constant.
std::span<const Expr> atomsOf(const Expr &monomial);
/// 0 * `expr`: what must stay of it where its value doesn't matter. 0 unless it is partial.
inline Expr valueless(Expr expr) { return expr * 0; }
/// The sum of `terms`, in any order.
Expr sumOf(Context &context, std::span<const Term> terms);
/// The range of a - b, without making that.
Bounds differenceBounds(Expr a, Expr b);
bool isUnfolded(Expr expr);
/// The operation `kind` on `operands`, in normal form. Not for leaves.
Expr rebuild(Context &context, Kind kind, std::span<const Expr> operands);

//===- Ranges (Range.cpp) ---------------------------------------------------------------------===//

Bounds addBounds(Bounds a, Bounds b);
Bounds mulBounds(Bounds a, Bounds b);
/// The range of an operation, given those of its operands. Assumes that divisors are positive.
Bounds rangeOf(Kind kind, std::span<const Expr> operands, std::span<const Bounds> ranges);
/// The one multiple index q with q * divisor <= every value < (q + 1) * divisor, if there is one.
std::optional<int64_t> commonQuotient(Bounds range, int64_t divisor);

} // namespace relax::symbolic::detail
