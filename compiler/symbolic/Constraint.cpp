//===- Constraint.cpp - relations between expressions -----------------------------------------===//

#include "compiler/symbolic/Constraint.h"

namespace relax::symbolic {

void Constraint::collectSymbols(std::set<std::string> &names) const {
  a.collectSymbols(names);
  b.collectSymbols(names);
}

std::optional<bool> Constraint::holds(const Assignment &values) const {
  std::optional<int64_t> x = evaluate(a, values), y = evaluate(b, values);
  if (!x || !y)
    return std::nullopt;
  switch (kind) {
  case Kind::Equal:
    return *x == *y;
  case Kind::LessEqual:
    return *x <= *y;
  case Kind::Less:
    return *x < *y;
  case Kind::Divides:
    return *x >= 1 && *y % *x == 0;
  case Kind::Broadcast:
    return *x == *y || *x == 1 || *y == 1;
  }
  return std::nullopt;
}

std::string Constraint::str() const {
  static const char *const words[] = {" == ", " <= ", " < ", " divides ", " broadcasts with "};
  return a.str() + words[static_cast<size_t>(kind)] + b.str();
}

Constraint substitute(const Constraint &constraint, const std::map<std::string, Expr> &values) {
  return {constraint.kind, substitute(constraint.a, values), substitute(constraint.b, values)};
}

} // namespace relax::symbolic
