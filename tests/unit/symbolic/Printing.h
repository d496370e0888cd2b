//===- Printing.h - how GoogleTest shows the answers of symbolic/ -----------------------------===//

#pragma once

#include "compiler/symbolic/Solve.h"

#include <ostream>

namespace relax::symbolic {

inline void PrintTo(Proof proof, std::ostream *out) {
  *out << (proof == Proof::Proved ? "Proved" : proof == Proof::Refuted ? "Refuted" : "Unknown");
}

inline void PrintTo(const Bounds &bounds, std::ostream *out) {
  *out << '[' << (bounds.lo ? std::to_string(*bounds.lo) : "?") << ", "
       << (bounds.hi ? std::to_string(*bounds.hi) : "?") << ']';
}

inline void PrintTo(Unified unified, std::ostream *out) {
  static const char *const names[] = {"Proved", "Checked", "Mismatch", "Unbound"};
  *out << names[static_cast<size_t>(unified)];
}

inline void PrintTo(const Expr &expr, std::ostream *out) { *out << expr.str(); }

} // namespace relax::symbolic
