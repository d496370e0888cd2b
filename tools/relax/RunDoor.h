//===- RunDoor.h - the sizes of what is inside tuples among a function's arguments ------------===//
//
// A tuple's pattern says only the kinds and element types of its fields. What dimensions they have,
// and which symbols get their values from them, says the code that a general function begins with:
// it takes each field from its tuple and compares it with a pattern of its own.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"

#include <map>
#include <set>
#include <vector>

namespace relax::tool {

/// A parameter's number, then the number of a field of it, of a field of that, and so on.
using FieldPath = std::vector<uint32_t>;

class Door {
public:
  explicit Door(const artifact::Function &function);

  /// What a field of a tuple is compared with: a pattern of its own, or else the one that the
  /// tuple's pattern has for it.
  [[nodiscard]] const artifact::TypePattern &fieldPattern(const artifact::TypePattern &tuple,
                                                          const FieldPath &field) const;
  /// Whether the slot gets its value here.
  [[nodiscard]] bool evaluates(artifact::Slot slot) const { return evaluated.count(slot) != 0; }

private:
  void addPattern(const FieldPath &path, const artifact::Instruction &check);

  const artifact::Function &function;
  std::map<FieldPath, uint32_t> patterns;
  std::set<artifact::Slot> evaluated;
};

} // namespace relax::tool
