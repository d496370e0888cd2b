//===- Constraint.h - what must hold between expressions --------------------------------------===//
//
// What a guard checks, what a prover is asked, and what a function may rely on (Facts.h) are one
// thing: a relation between two expressions.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Expr.h"

namespace relax::symbolic {

/// Values of symbols by name.
using Assignment = std::map<std::string, int64_t>;

struct Constraint {
  enum class Kind : uint8_t {
    Equal,     ///< a == b
    LessEqual, ///< a <= b
    Less,      ///< a < b
    Divides,   ///< a divides b; says that a >= 1, too.
    Broadcast, ///< a == b, or a == 1, or b == 1: extents that broadcast against each other.
  };

  Kind kind = Kind::Equal;
  Expr a, b;

  static Constraint equal(Expr a, Expr b) { return {Kind::Equal, a, b}; }
  static Constraint lessEqual(Expr a, Expr b) { return {Kind::LessEqual, a, b}; }
  static Constraint less(Expr a, Expr b) { return {Kind::Less, a, b}; }
  static Constraint divides(Expr a, Expr b) { return {Kind::Divides, a, b}; }
  static Constraint broadcast(Expr a, Expr b) { return {Kind::Broadcast, a, b}; }

  bool operator==(const Constraint &) const = default;

  void collectSymbols(std::set<std::string> &names) const;
  /// Whether it holds for these values; none if a side has no value that fits int64.
  [[nodiscard]] std::optional<bool> holds(const Assignment &values) const;
  /// "n <= 2 * m", "16 divides n", "n broadcasts with m".
  [[nodiscard]] std::string str() const;
};

/// Both sides with symbols replaced (see substitute in Expr.h).
Constraint substitute(const Constraint &constraint, const std::map<std::string, Expr> &values);

} // namespace relax::symbolic
