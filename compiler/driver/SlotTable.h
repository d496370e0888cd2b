//===- SlotTable.h - symbolic expressions as value slots of a function ------------------------===//
//
// A function of an artifact computes every number that depends on shapes once, at entry, in a list
// of slots. The table gives each expression its slot: a symbol is a dimension of a parameter, a
// constant is itself, anything else an operation on earlier slots. Equal expressions share a slot.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Expr.h"
#include "runtime/artifact/Artifact.h"

#include <map>
#include <string>

namespace relax::driver {

class SlotTable {
public:
  explicit SlotTable(std::vector<artifact::SlotOp> &slots) : slots(slots) {}

  /// Says that `symbol` is dimension `axis` of parameter `parameter`; the first one said holds.
  void bind(const std::string &symbol, int64_t parameter, int64_t axis);
  [[nodiscard]] bool isBound(const std::string &symbol) const { return symbols.contains(symbol); }

  /// The slot of `expr`, made if there is none; noSlot if it uses a symbol that isn't bound.
  artifact::Slot slotOf(symbolic::Expr expr);
  artifact::Slot constant(int64_t value);

private:
  artifact::Slot append(artifact::SlotOp::Kind kind, int64_t a, int64_t b);

  std::vector<artifact::SlotOp> &slots;
  std::map<std::string, artifact::Slot> symbols;
  std::map<int64_t, artifact::Slot> constants;
  std::map<symbolic::Expr, artifact::Slot> expressions;
};

} // namespace relax::driver
