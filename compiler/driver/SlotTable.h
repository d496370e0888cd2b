//===- SlotTable.h - symbolic expressions as value slots of a function ------------------------===//
//
// Every number that depends on shapes is the value of a slot of its function. The table gives each
// expression its slot: a symbol is a dimension of a parameter, or what a part of the body binds it
// to; a constant is itself, anything else an operation on earlier slots. Equal expressions share a
// slot.
//
// In a planned function all slots are evaluated once, at entry. In a general one a slot is
// evaluated where it is first needed, so it holds only in the region where it was made: pushScope
// and popScope are called around each region.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Expr.h"
#include "runtime/artifact/Artifact.h"

#include <map>
#include <string>
#include <vector>

namespace relax::driver {

class SlotTable {
public:
  explicit SlotTable(std::vector<artifact::SlotOp> &slots) : slots(slots) {}

  /// Says that `symbol` is dimension `axis` of parameter `parameter`; the first one said holds.
  void bind(const std::string &symbol, int64_t parameter, int64_t axis);
  /// Says that `symbol` is the value of `slot`, until the scope ends.
  void bind(const std::string &symbol, artifact::Slot slot);
  [[nodiscard]] bool isBound(const std::string &symbol) const { return symbols.contains(symbol); }

  /// The slot of `expr`, made if there is none; noSlot if it uses a symbol that isn't bound.
  artifact::Slot slotOf(symbolic::Expr expr);
  artifact::Slot constant(int64_t value);
  /// A new slot.
  artifact::Slot append(artifact::SlotOp::Kind kind, int64_t a, int64_t b);
  [[nodiscard]] artifact::Slot size() const { return static_cast<artifact::Slot>(slots.size()); }

  void pushScope() { scopes.push_back({madeSymbols.size(), madeExpressions.size()}); }
  void popScope();

private:
  std::vector<artifact::SlotOp> &slots;
  std::map<std::string, artifact::Slot> symbols;
  std::map<int64_t, artifact::Slot> constants;
  std::map<symbolic::Expr, artifact::Slot> expressions;
  /// What was added, in order, and how much of it there was when each open scope began.
  std::vector<std::string> madeSymbols;
  std::vector<symbolic::Expr> madeExpressions;
  std::vector<std::pair<size_t, size_t>> scopes;
};

} // namespace relax::driver
