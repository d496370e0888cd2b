#include "tools/relax/RunDoor.h"

namespace relax::tool {

using artifact::Function;
using artifact::Instruction;
using artifact::Slot;
using artifact::TypePattern;

Door::Door(const Function &function) : function(function) {
  if (!function.general)
    return;
  std::map<uint32_t, FieldPath> paths; // By register.
  for (uint32_t i = 0; i < function.parameters.size(); ++i)
    paths[i] = {i};
  for (const Instruction &instruction : function.code) {
    const auto of = [&](size_t i) { return paths.find(instruction.buffers[i]); };
    if (instruction.op == Instruction::TupleGet && of(1) != paths.end()) {
      FieldPath path = of(1)->second;
      path.push_back(instruction.target);
      paths[instruction.buffers[0]] = std::move(path);
    } else if (instruction.op == Instruction::CheckValue && of(0) != paths.end()) {
      addPattern(of(0)->second, instruction);
    } else if (instruction.op != Instruction::Evaluate) {
      return; // The function's own code begins.
    }
  }
}

void Door::addPattern(const FieldPath &path, const Instruction &check) {
  patterns.emplace(path, check.target);
  if (!check.slots.empty())
    for (Slot slot = check.slots[0]; slot < check.slots[1]; ++slot)
      evaluated.insert(slot);
}

const TypePattern &Door::fieldPattern(const TypePattern &tuple, const FieldPath &field) const {
  const auto found = patterns.find(field);
  return function.patterns[found == patterns.end() ? tuple.fields[field.back()] : found->second];
}

} // namespace relax::tool
